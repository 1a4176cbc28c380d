package fakecyborg

import (
	"cmp"
	"context"
	"errors"
	"slices"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// bindCourse is what faults change in the course of one PATCH: events that are
// sent before their time, and binds that are not done when it is answered.
type bindCourse struct {
	server *Server
	scope  string
	// jobs are those that go on after the answer.
	jobs *generation
	// early are the tags of the events that were sent before their time.
	early []string
	// hit notes a rule in the journal.
	hit func(rule string)
}

func (x *exchange) newCourse() *bindCourse {
	return &bindCourse{server: x.server, scope: x.scope, jobs: x.server.jobs.now(), hit: x.hit}
}

// hit notes a rule in the exchange's entry of the journal.
func (x *exchange) hit(rule string) {
	if x.rule != "" {
		rule = x.rule + "," + rule
	}
	x.rule = rule
}

// held is a bind that stops in BindStarted.
type held struct {
	// hold says how it ends; nil for an event that is to be sent first.
	hold *faults.Hold
	// rule is that of the event, "" for none.
	rule string
	// programs says that the device has to be programmed.
	programs bool
}

func bindSubject(scope, point string, p arqPatch) faults.Subject {
	return faults.Subject{
		Operation: point, Scope: scope,
		ARQs: []string{p.uuid}, Hosts: []string{*p.hostname}, Instances: []string{*p.instance},
	}
}

// stop decides whether a bind stops in BindStarted: because a rule says so, or
// because a rule wants its event to be sent now. nil lets it go on.
func (c *bindCourse) stop(p arqPatch, programs bool) *held {
	rules := c.server.faults
	if rules.Empty() {
		return nil
	}
	stopped := &held{programs: programs}
	if !slices.Contains(c.early, p.uuid) {
		hit, _ := rules.EarlyEvent(bindSubject(c.scope, faults.Event, p), faults.BeforeBound)
		stopped.rule = hit.Rule
	}
	point := faults.Bind
	if programs {
		point = faults.Program
	}
	hit, holds := rules.Bind(bindSubject(c.scope, point, p))
	if holds != nil {
		hold := holds.Hold()
		stopped.hold = &hold
		c.hit(hit.Rule)
	}
	if stopped.hold == nil && stopped.rule == "" {
		return nil
	}
	return stopped
}

// tellBefore sends the events that rules want before anything is done.
func (c *bindCourse) tellBefore(ctx context.Context, who caller, patches []arqPatch) error {
	if c.server.faults.Empty() {
		return nil
	}
	var first *string
	for _, p := range patches {
		a, known := c.server.store.peek(who, p.uuid)
		if !p.bind || !known || p.invalid != nil {
			continue
		}
		first = cmp.Or(first, p.instance)
		hit, early := c.server.faults.EarlyEvent(bindSubject(c.scope, faults.Event, p), faults.BeforeBind)
		if early == nil {
			continue
		}
		a.target = target{hostname: p.hostname, deviceRP: p.deviceRP, instance: first}
		if err := c.tell(ctx, hit.Rule, &a); err != nil {
			return err
		}
	}
	return nil
}

// peek returns a copy of a request if the caller sees it.
func (s *store) peek(who caller, uuid string) (arq, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	a, err := s.findARQ(who, uuid)
	if err != nil {
		return arq{}, false
	}
	return *a, true
}

// tell sends the event of one request before its time.
func (c *bindCourse) tell(ctx context.Context, rule string, a *arq) error {
	c.early = append(c.early, a.uuid)
	c.hit(rule)
	event := c.server.notifier.form.early(a)
	what := notice{scope: c.scope, told: []told{{Event: event, host: *a.hostname}}}
	return c.server.notifier.transmit(ctx, what, []faults.Delivery{{Tag: event.Tag, Faults: []string{rule}}})
}

// early is the event of a request that is not resolved yet.
func (f EventForm) early(a *arq) Event {
	if f == EventsPerProfile {
		return Event{Name: "accelerator-requests-bound", ServerUUID: *a.instance, Tag: a.profile.name, Status: "completed"}
	}
	bound := *a
	bound.state = stateBound
	return f.event(*a.instance, &bound)
}

// goOn does what is left of a bind, unless that is a job that goes on after the
// answer: then wait is true.
func (c *bindCourse) goOn(ctx context.Context, j job) (wait bool, err error) {
	switch {
	case j.place == nil:
		return false, nil
	case j.held != nil:
		return c.goOnHeld(ctx, j)
	case c.server.release.BindJobs:
		return true, nil
	}
	return false, c.server.programNow(ctx, j)
}

// goOnHeld sends the event of a bind that stopped for that, and goes on with the
// bind unless it is held for longer.
func (c *bindCourse) goOnHeld(ctx context.Context, j job) (wait bool, err error) {
	if j.held.rule == "" {
		return true, nil
	}
	a, known := c.server.store.peek(caller{all: true}, j.arq.uuid)
	if !known || a.instance == nil {
		return false, nil
	}
	told := c.tell(ctx, j.held.rule, &a)
	if j.held.hold != nil || j.held.programs {
		return true, told
	}
	if err := c.server.store.endHeld(j, nil); err != nil {
		return false, err
	}
	return false, told
}

// errHeld ends a job that a fault holds for ever.
var errHeld = errors.New("a fault holds it for ever")

// errFailed ends a job that a fault lets fail.
var errFailed = errors.New("a fault lets it fail")

// endHeld is the job of a held bind.
func (s *Server) endHeld(ctx context.Context, j job) error {
	hold := j.held.hold
	switch {
	case hold == nil:
	case hold.End == "":
		return errHeld
	case !sleep(ctx, hold.After):
		return ctx.Err()
	case hold.End == string(stateBindFailed):
		return s.store.endHeld(j, errFailed)
	}
	if j.held.programs {
		return s.program(ctx, j)
	}
	return s.store.endHeld(j, nil)
}

// endHeld ends a bind without programming. A request that was unbound or deleted
// in the meantime is left alone.
func (s *store) endHeld(j job, failure error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case j.arq.state != stateBindStarted, !s.has(j.arq):
		return errUnresolved
	case failure != nil:
		s.enter(j.arq, stateBindFailed)
		return failure
	}
	return s.allocate(j.arq, j.place)
}

// notice is what is left to be told of requests: not what was told early.
func (c *bindCourse) notice(events []Event, bound []*arq) notice {
	n := notice{scope: c.scope, jobs: c.jobs}
	for i, event := range events {
		if i < len(bound) && slices.Contains(c.early, bound[i].uuid) {
			continue
		}
		n.told = append(n.told, told{Event: event, host: c.server.store.boundHost(bound[min(i, len(bound)-1)])})
	}
	return n
}

// boundHost is where a request is bound, "" for nowhere.
func (s *store) boundHost(a *arq) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if a.hostname == nil {
		return ""
	}
	return *a.hostname
}
