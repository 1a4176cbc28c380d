package lifecycle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
)

// survey is what there is, or the part of it that is looked at.
type survey struct {
	known   Known
	now     time.Time
	records map[string]Record
	// owners are the instances whose record names an ARQ, or a task of it does.
	owners map[string]string
	// moving are instances that operations are at work on.
	moving map[string]bool
	arqs   map[string]cyborgclient.ARQ
	// devices are the providers of Cyborg's devices.
	devices map[string]bool
	// held is what each consumer holds: all of it if a record wants something, else what it holds of devices.
	held map[string]map[string]map[string]int64
	// gone are the instances without a record that are known to be deleted.
	gone map[string]bool
}

func newSurvey(known Known) (*survey, error) {
	if known.Records == nil {
		return nil, errors.New("what is known lacks Records: without them everything would be somebody else's")
	}
	if known.Grace < 0 {
		return nil, fmt.Errorf("the grace must not be negative: %s", known.Grace)
	}
	if known.Grace == 0 {
		known.Grace = defaultGrace
	}
	return &survey{
		known: known, now: time.Now(), records: map[string]Record{}, owners: map[string]string{}, moving: map[string]bool{},
		arqs: map[string]cyborgclient.ARQ{}, devices: map[string]bool{}, held: map[string]map[string]map[string]int64{}, gone: map[string]bool{},
	}, nil
}

// survey reads everything. The records are read before and after: an instance whose record changed in between was worked
// on meanwhile.
func (m *Manager) survey(ctx context.Context, known Known) (*survey, error) {
	s, err := newSurvey(known)
	if err != nil {
		return nil, err
	}
	m.instances.mark(s.moving)
	if err := s.readRecords(); err != nil {
		return nil, err
	}
	before := s.records
	if err := m.readAll(ctx, s); err != nil {
		return nil, err
	}
	if err := s.readRecords(); err != nil {
		return nil, err
	}
	s.markChanged(before)
	m.instances.mark(s.moving)
	if err := s.checkComplete(); err != nil {
		return nil, err
	}
	return s, m.askGone(ctx, s, s.instances())
}

// mark notes the instances that an operation runs on.
func (i *instances) mark(moving map[string]bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for instance := range i.running {
		moving[instance] = true
	}
}

// readRecords reads the records, and refuses all if one of them cannot be understood.
func (s *survey) readRecords() error {
	list, err := s.known.Records()
	if err != nil {
		return err
	}
	s.records = make(map[string]Record, len(list))
	for _, record := range list {
		if err := record.check(); err != nil {
			return fmt.Errorf("record of instance %s: %w", record.Instance(), err)
		}
		if _, twice := s.records[record.Instance()]; twice {
			return fmt.Errorf("there are two records of instance %s", record.Instance())
		}
		s.records[record.Instance()] = record
		for _, arq := range record.named() {
			s.owners[arq] = record.Instance()
		}
	}
	return nil
}

// named are the ARQs that a record names anywhere.
func (r Record) named() []string {
	named := uuids(r.Now.Sets)
	tasks := r.Pending
	if r.Before != nil {
		named = append(named, uuids(r.Before.Sets)...)
	}
	if o := r.Operation; o != nil {
		tasks = slices.Concat(tasks, o.Undo, o.Todo)
		if o.Next != nil {
			named = append(named, uuids(o.Next.Sets)...)
		}
	}
	for _, task := range tasks {
		named = append(named, task.ARQs...)
	}
	return named
}

// markChanged notes the instances whose record is not what it was.
func (s *survey) markChanged(before map[string]Record) {
	for instance := range before {
		if _, still := s.records[instance]; !still {
			s.moving[instance] = true
		}
	}
	for instance, record := range s.records {
		was, there := before[instance]
		a, _ := json.Marshal(was) // it was read from JSON, or will be
		b, _ := json.Marshal(record)
		if !there || !bytes.Equal(a, b) {
			s.moving[instance] = true
		}
	}
}

// readAll reads the ARQs, and who holds what of the devices.
func (m *Manager) readAll(ctx context.Context, s *survey) error {
	if err := m.readARQs(ctx, s); err != nil {
		return err
	}
	if err := m.readDevices(ctx, s); err != nil {
		return err
	}
	for _, provider := range slices.Sorted(maps.Keys(s.devices)) {
		if err := m.readProvider(ctx, s, provider); err != nil {
			return err
		}
	}
	for instance, record := range s.records {
		if len(record.wants()) > 0 {
			if err := m.readConsumer(ctx, s, instance); err != nil {
				return err
			}
		}
	}
	return nil
}

// readDevices finds the providers of devices: those that Cyborg lists, and those that ARQs are bound to or should be.
func (m *Manager) readDevices(ctx context.Context, s *survey) error {
	deployables, err := m.cyborg.Deployables(ctx, cyborgclient.DeployableFilter{})
	if err != nil && !errors.Is(err, cyborgclient.ErrVersion) { // Train does not list devices, and hides nothing
		return err
	}
	for _, d := range deployables {
		s.devices[d.RPUUID] = true
	}
	for _, arq := range s.arqs {
		s.devices[arq.DeviceRPUUID] = true
	}
	for _, record := range s.records {
		for _, provider := range record.Now.providers() {
			s.devices[provider] = true
		}
	}
	delete(s.devices, "") // not reported, not bound, on no host
	return nil
}

func (m *Manager) readARQs(ctx context.Context, s *survey) error {
	arqs, err := m.cyborg.ARQs(ctx, cyborgclient.ARQFilter{})
	if err != nil {
		return err
	}
	s.add(arqs)
	return nil
}

func (s *survey) add(arqs []cyborgclient.ARQ) {
	for _, arq := range arqs {
		s.arqs[arq.UUID] = arq
	}
}

// readProvider reads who holds what of a device. Nobody does of one that Placement does not have.
func (m *Manager) readProvider(ctx context.Context, s *survey, provider string) error {
	taken, err := m.placement.ProviderAllocations(ctx, provider)
	if err != nil && !errors.Is(err, placement.ErrNotFound) {
		return err
	}
	for consumer, resources := range taken {
		s.held[consumer] = addAllocations(s.held[consumer], map[string]map[string]int64{provider: resources})
	}
	return nil
}

func (m *Manager) readConsumer(ctx context.Context, s *survey, instance string) error {
	held, err := m.placement.Allocations(ctx, instance)
	if err == nil {
		s.held[instance] = held.Allocations
	}
	return err
}

// wants is what the instance has to hold in Placement by its record.
func (r Record) wants() map[string]map[string]int64 {
	if r.Before == nil {
		return r.Now.Allocations
	}
	return addAllocations(r.Now.Allocations, r.Before.Allocations)
}

// instances are all that have a record or hold a device.
func (s *survey) instances() []string {
	all := maps.Clone(s.held)
	for instance := range s.records {
		all[instance] = nil
	}
	return slices.Sorted(maps.Keys(all))
}

// checkComplete refuses a list of ARQs that lacks some that should be there, unless their project cannot be the reason:
// only admins see more than one. Placement shows everything or nothing, so that what it knows of devices in use tells
// of ARQs that Cyborg hides.
func (s *survey) checkComplete() error {
	projects := map[string]bool{}
	has := map[[2]string]bool{}
	for _, arq := range s.arqs {
		projects[arq.ProjectID] = true
		has[[2]string{arq.InstanceUUID, arq.DeviceRPUUID}] = true
	}
	if s.known.AllProjects || len(projects) > 1 {
		return nil
	}
	for _, instance := range s.instances() {
		if s.moving[instance] {
			continue
		}
		if missing := s.missing(instance, has); missing != "" {
			return fmt.Errorf("%w: it lacks %s, and shows ARQs of one project only: use an admin of all projects, and say so by Known.AllProjects",
				ErrIncomplete, missing)
		}
	}
	return nil
}

// missing names an ARQ that an instance should have and the list has not.
func (s *survey) missing(instance string, has map[[2]string]bool) string {
	record, recorded := s.records[instance]
	if !recorded {
		for _, provider := range slices.Sorted(maps.Keys(s.held[instance])) {
			if !has[[2]string{instance, provider}] {
				return fmt.Sprintf("an ARQ of instance %s, which holds provider %s", instance, provider)
			}
		}
		return ""
	}
	if record.Now.Host == "" {
		return ""
	}
	for _, arq := range record.ARQs() {
		if _, there := s.arqs[arq]; !there {
			return fmt.Sprintf("ARQ %s, which is on the record of instance %s", arq, instance)
		}
	}
	return ""
}

// askGone asks of the instances without a record, and of those that ARQs are bound to, whether they were deleted. What
// is no instance is not asked for: Nova has consumers for migrations.
func (m *Manager) askGone(ctx context.Context, s *survey, instances []string) error {
	if s.known.Gone == nil {
		return nil
	}
	for _, arq := range s.arqs {
		if arq.InstanceUUID != "" {
			instances = append(instances, arq.InstanceUUID)
		}
	}
	slices.Sort(instances)
	for _, instance := range slices.Compact(instances) {
		if _, recorded := s.records[instance]; recorded || s.moving[instance] {
			continue
		}
		held, err := m.placement.Allocations(ctx, instance)
		if err != nil {
			return err
		}
		if !slices.Contains([]string{"", "unknown", "INSTANCE"}, held.Type) {
			continue
		}
		if s.gone[instance], err = s.known.Gone(ctx, instance); err != nil {
			return fmt.Errorf("is instance %s gone: %w", instance, err)
		}
	}
	return nil
}
