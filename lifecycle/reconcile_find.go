package lifecycle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// findings judges the ARQs that were read and the given instances. It asks nobody.
func (s *survey) findings(instances []string) []Finding {
	var found []Finding
	for _, uuid := range slices.Sorted(maps.Keys(s.arqs)) {
		found = append(found, s.judgeARQ(s.arqs[uuid])...)
	}
	for _, instance := range instances {
		record, recorded := s.records[instance]
		switch {
		case s.moving[instance]:
		case recorded:
			found = append(found, s.judgeRecord(record)...)
		default:
			found = append(found, s.judgeUnknown(instance)...)
		}
	}
	return found
}

// unsettled says that an operation of the record, or what one left, comes first.
func (r Record) unsettled() bool {
	return r.Operation != nil || slices.ContainsFunc(r.Pending, func(t Task) bool { return t.Kind != TaskStrays })
}

// judgeARQ finds what is wrong with an ARQ that its instance's record does not name. judgeRecord sees to the others.
func (s *survey) judgeARQ(arq cyborgclient.ARQ) []Finding {
	instance := arq.InstanceUUID
	record, recorded := s.records[instance]
	f := Finding{Instance: instance, ARQ: arq.UUID, Provider: arq.DeviceRPUUID, Host: arq.Hostname}
	switch {
	case instance == "":
		return s.judgeFree(arq)
	case s.moving[instance], recorded && (record.unsettled() || record.Now.Host != "" && slices.Contains(record.ARQs(), arq.UUID)):
		return nil
	case recorded:
		f.Kind, f.Why = FindingStale, fmt.Sprintf("it is %s for the instance, whose record does not name it", arq.State)
	case s.gone[instance]:
		f.Kind, f.Why = FindingOrphan, fmt.Sprintf("it is %s for an instance that is gone", arq.State)
	case s.held[instance][arq.DeviceRPUUID] == nil && arq.State == cyborgclient.StateBound:
		f.Kind, f.Why = FindingUnallocated, "no record knows its instance, which holds nothing of the provider in Placement, as after a deletion that failed at Cyborg"
		return []Finding{f}
	default:
		f.Kind, f.Why = FindingForeign, "no record knows its instance: it may be Nova's"
		return []Finding{f}
	}
	f.Repair = "delete it"
	if s.given(arq.UUID) {
		f.Repair = "unbind it, its maker may still want it"
	}
	return []Finding{f}
}

// given says that somebody else made the ARQ, who deletes it when the time has come.
func (s *survey) given(arq string) bool {
	if slices.Contains(s.known.Prepared, arq) {
		return true
	}
	record := s.records[s.owners[arq]]
	sets := record.Now.Sets
	if record.Before != nil {
		sets = slices.Concat(sets, record.Before.Sets)
	}
	return slices.Contains(given(sets), arq)
}

// judgeFree judges an ARQ that is bound to nobody.
func (s *survey) judgeFree(arq cyborgclient.ARQ) []Finding {
	_, owned := s.owners[arq.UUID]
	if owned || slices.Contains(s.known.Prepared, arq.UUID) || !isFree(arq) {
		return nil
	}
	age, old := s.age(arq)
	if !old {
		return nil
	}
	return []Finding{{
		Kind: FindingStray, ARQ: arq.UUID,
		Why:    fmt.Sprintf("it is %s, of device profile %s, and nobody has bound it for %s", arq.State, arq.DeviceProfileName, age),
		Repair: "delete it",
	}}
}

func isFree(arq cyborgclient.ARQ) bool {
	return arq.InstanceUUID == "" && (arq.State == cyborgclient.StateInitial || arq.State == cyborgclient.StateUnbound)
}

// age says for how long an ARQ is what it is, and whether that is long. One whose times Cyborg does not tell is young.
func (s *survey) age(arq cyborgclient.ARQ) (age time.Duration, old bool) {
	since := arq.CreatedAt.Time
	if arq.UpdatedAt.After(since) {
		since = arq.UpdatedAt.Time
	}
	age = s.now.Sub(since)
	return age.Round(time.Second), !since.IsZero() && age >= s.known.Grace
}

// judgeRecord finds what a record says and is not so. Where an operation comes first, that is all there is to say; what
// one left hides only what it may be about.
func (s *survey) judgeRecord(record Record) []Finding {
	f := Finding{Instance: record.Instance(), Host: record.Now.Host}
	if o := record.Operation; o != nil {
		age := s.now.Sub(o.Started)
		if age < s.known.Grace {
			return nil
		}
		f.Kind, f.Guest = FindingInterrupted, needsGuest(slices.Concat(o.Undo, o.Todo, record.Pending))
		f.Why, f.Repair = fmt.Sprintf("%s began %s ago and does not run", o.Op, age.Round(time.Second)), "take it back"
		if o.Committed {
			f.Repair = "finish it"
		}
		return []Finding{f}
	}
	if record.unsettled() {
		lost := s.judgeBound(record)
		f.Kind, f.Guest = FindingPending, needsGuest(record.Pending) || len(lost) > 0 && record.waitsForDevices()
		f.Why, f.Repair = "an operation left: "+describe(record.Pending), "do it"
		return append(lost, f)
	}
	return slices.Concat(s.judgeStrays(record), s.judgeBound(record), s.judgeClaim(record))
}

func describe(tasks []Task) string {
	var texts []string
	for _, task := range tasks {
		switch {
		case task.Kind == TaskStrays:
		case task.Failure != "":
			texts = append(texts, string(task.Kind)+" ("+task.Failure+")")
		default:
			texts = append(texts, string(task.Kind))
		}
	}
	return strings.Join(texts, ", ")
}

// list writes amounts as people do.
func list(resources map[string]int64) string {
	var texts []string
	for _, class := range slices.Sorted(maps.Keys(resources)) {
		texts = append(texts, fmt.Sprintf("%d %s", resources[class], class))
	}
	return strings.Join(texts, ", ")
}

func needsGuest(tasks []Task) bool {
	return slices.ContainsFunc(tasks, func(t Task) bool {
		switch t.Kind {
		case TaskDestroyGuest, TaskRestoreGuest, TaskReturnGuest, TaskAttach, TaskDetach, TaskPowerResume, TaskPowerSuspend:
			return true
		default:
			return false
		}
	})
}

// judgeStrays finds whether nothing is left of what the record's operations feared to have left. Young ARQs may be it,
// and a request may still be under way.
func (s *survey) judgeStrays(record Record) []Finding {
	waits := slices.ContainsFunc(record.Pending, func(t Task) bool { return t.Kind == TaskStrays && !s.answered(t) })
	if waits || len(record.Pending) == 0 {
		return nil
	}
	return []Finding{{
		Kind: FindingAnswered, Instance: record.Instance(), Host: record.Now.Host,
		Why:    "a creation of ARQs was not answered; those that it may have made are gone, or go with this plan",
		Repair: "take the task off the record",
	}}
}

// answered says that no ARQ can turn up any more that a task looks for.
func (s *survey) answered(task Task) bool {
	if s.now.Sub(task.Since) < s.known.Grace {
		return false
	}
	for _, arq := range s.arqs {
		if _, owned := s.owners[arq.UUID]; owned || arq.DeviceProfileName != task.Profile || !isFree(arq) {
			continue
		}
		if _, old := s.age(arq); !old && !slices.Contains(s.known.Prepared, arq.UUID) {
			return false
		}
	}
	return true
}

// judgeBound finds the ARQs on record that the instance has not, or not where it should.
func (s *survey) judgeBound(record Record) []Finding {
	if record.Now.Host == "" {
		return nil
	}
	f := Finding{
		Instance: record.Instance(), Host: record.Now.Host, Repair: "bind new ones at the same providers", Guest: record.runs(),
	}
	if f.Guest {
		f.Repair = "stop the guest, " + f.Repair + ", start the guest"
	}
	var found []Finding
	for _, set := range record.Now.Sets {
		for _, mine := range set.ARQs {
			f.ARQ, f.Provider = mine.UUID, mine.Provider
			if f.Kind, f.Why = s.whereIs(mine, record); f.Kind != "" {
				found = append(found, f)
			}
		}
	}
	return found
}

// whereIs says what is wrong with an ARQ on record; "" if nothing is.
func (s *survey) whereIs(mine BoundARQ, record Record) (kind FindingKind, why string) {
	arq, there := s.arqs[mine.UUID]
	switch {
	case !there:
		return FindingNotBound, "it is gone"
	case arq.InstanceUUID != "" && arq.InstanceUUID != record.Instance():
		return FindingNotBound, fmt.Sprintf("it is %s for instance %s", arq.State, arq.InstanceUUID)
	case arq.State != cyborgclient.StateBound || arq.InstanceUUID == "":
		return FindingNotBound, fmt.Sprintf("it is %s", arq.State)
	case arq.Hostname != record.Now.Host || arq.DeviceRPUUID != mine.Provider:
		return FindingMisplaced, fmt.Sprintf("it is bound on host %s at provider %s", arq.Hostname, arq.DeviceRPUUID)
	default:
		return "", ""
	}
}

// judgeClaim compares what an instance holds in Placement with its record. Beyond the record only devices count: other
// services allocate for instances too.
func (s *survey) judgeClaim(record Record) []Finding {
	instance, want := record.Instance(), record.wants()
	var found []Finding
	for provider, resources := range subtractAllocations(want, s.held[instance]) {
		found = append(found, Finding{
			Kind: FindingUnallocated, Instance: instance, Provider: provider, Host: record.Now.Host,
			Why: fmt.Sprintf("the instance lacks %s of what it has on record", list(resources)), Repair: "claim it",
		})
	}
	for provider, resources := range s.excess(record) {
		found = append(found, Finding{
			Kind: FindingIdle, Instance: instance, Provider: provider, Host: record.Now.Host,
			Why: fmt.Sprintf("the instance holds %s more than it has on record", list(resources)), Repair: "give it up",
		})
	}
	return found
}

// excess is what an instance holds of devices beyond its record.
func (s *survey) excess(record Record) map[string]map[string]int64 {
	rest := subtractAllocations(s.held[record.Instance()], record.wants())
	maps.DeleteFunc(rest, func(provider string, _ map[string]int64) bool { return !s.devices[provider] })
	return rest
}

// judgeUnknown judges what an instance without a record holds of devices.
func (s *survey) judgeUnknown(instance string) []Finding {
	uses := map[string]bool{}
	for _, arq := range s.arqs {
		if arq.InstanceUUID == instance {
			uses[arq.DeviceRPUUID] = true
		}
	}
	var found []Finding
	for provider, resources := range s.held[instance] {
		f := Finding{Kind: FindingIdle, Instance: instance, Provider: provider}
		switch {
		case !s.devices[provider]:
			continue
		case s.gone[instance]:
			f.Why, f.Repair = fmt.Sprintf("an instance that is gone holds %s", list(resources)), "release all that it holds"
		case !uses[provider]:
			f.Why = fmt.Sprintf("an instance that no record knows holds %s and has no ARQ there: it may be Nova's", list(resources))
		default:
			continue
		}
		found = append(found, f)
	}
	return found
}
