package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// Repaired is what became of a finding.
type Repaired struct {
	Finding Finding
	// Left says why nothing was done; "" if something was.
	Left string
	// Result is what an operation on the instance did, as far as there was one: after new ARQs were bound it has the
	// domain XML.
	Result *Result
	// Err is why the repair failed.
	Err error
}

// Repair does what a plan says, finding after finding in the order of their kinds. Each is looked at again right before:
// what is not so any more is left alone, and so is an instance on which an operation runs. None runs on it during the
// repair. A repair that fails does not keep others from being done; the error joins those of all.
func (m *Manager) Repair(ctx context.Context, known Known, plan *Plan) ([]Repaired, error) {
	found := slices.Clone(plan.Findings)
	sortFindings(found)
	var done []Repaired
	var errs []error
	for _, f := range found {
		if err := ctx.Err(); err != nil {
			errs = append(errs, fmt.Errorf("reconcile: %w", context.Cause(ctx)))
			break
		}
		one := m.repair(ctx, known, f)
		done = append(done, one)
		errs = append(errs, one.Err)
	}
	return done, errors.Join(errs...)
}

func (m *Manager) repair(ctx context.Context, known Known, f Finding) Repaired {
	if f.Repair == "" {
		return Repaired{Finding: f, Left: "it is for people to decide"}
	}
	result, left, err := m.repairAlone(ctx, known, f)
	if _, ours := errors.AsType[*Error](err); err != nil && !ours {
		about := "ARQ " + f.ARQ
		if f.ARQ == "" {
			about = "instance " + f.Instance
		}
		err = fmt.Errorf("reconcile %s: %w", about, err)
	}
	return Repaired{Finding: f, Left: left, Result: result, Err: err}
}

// repairAlone repairs while no operation runs on the instance.
func (m *Manager) repairAlone(ctx context.Context, known Known, f Finding) (result *Result, left string, err error) {
	var r run
	inside := ctx
	if f.Instance != "" {
		var leave func(Record)
		if inside, leave, err = m.instances.enter(ctx, f.Instance); err != nil {
			return nil, "an operation runs on the instance", nil
		}
		defer func() { leave(r.record.clone()) }()
	}
	s, err := newSurvey(known)
	if err == nil {
		err = s.readRecords()
	}
	if err != nil {
		return nil, "", err
	}
	record, recorded := s.records[f.Instance]
	r = run{Manager: m, record: record.clone(), step: Step{Op: OpReconcile, Instance: f.Instance, Host: record.Now.Host}}
	err = m.observed(inside, Step{Op: OpReconcile, Instance: f.Instance, ID: StepCheck, Host: f.Host}, func() error { return m.lookAgain(inside, s, f) })
	if err != nil {
		return nil, "", err
	}
	if !slices.ContainsFunc(s.findings(s.about(f)), f.same) {
		return nil, "it is not so any more", nil
	}
	if !recorded {
		return nil, "", m.free(inside, s, f)
	}
	if result, err = r.mend(inside, s, f); err != nil {
		return nil, "", err
	}
	return result, "", nil
}

// about are the instances that a finding is about.
func (*survey) about(f Finding) []string {
	if f.Instance == "" {
		return nil
	}
	return []string{f.Instance}
}

// lookAgain reads what one finding is about.
func (m *Manager) lookAgain(ctx context.Context, s *survey, f Finding) error {
	if f.Provider != "" {
		s.devices[f.Provider] = f.Kind != FindingUnallocated
	}
	switch f.Kind {
	case FindingStray:
		return m.readARQ(ctx, s, f.ARQ)
	case FindingInterrupted:
		return nil
	case FindingAnswered:
		return m.readARQs(ctx, s)
	default:
	}
	arqs, err := m.cyborg.ARQsByInstance(ctx, f.Instance)
	if err != nil {
		return err
	}
	s.add(arqs)
	for _, arq := range s.records[f.Instance].ARQs() {
		if _, there := s.arqs[arq]; !there {
			if err := m.readARQ(ctx, s, arq); err != nil {
				return err
			}
		}
	}
	if err := m.readConsumer(ctx, s, f.Instance); err != nil {
		return err
	}
	return m.askGone(ctx, s, s.about(f))
}

func (m *Manager) readARQ(ctx context.Context, s *survey, uuid string) error {
	arq, err := m.cyborg.ARQ(ctx, uuid)
	if errors.Is(err, cyborgclient.ErrNotFound) {
		return nil
	}
	if err == nil {
		s.arqs[uuid] = *arq
	}
	return err
}
