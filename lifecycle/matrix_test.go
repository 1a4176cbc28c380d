package lifecycle_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
)

var matrixOnly = flag.String("matrix", "", "run only the cases of TestMatrix whose `pattern` matches")

// matrixReleases are Cyborgs that differ in what they answer: the first one, one that cannot unbind, the one after
// the security fixes, and the newest.
var matrixReleases = []string{"3.0.1", "5.0.1", "14.1.0", "17.0.0"}

// TestMatrix runs every operation with every fault at every call that it makes, against several releases of Cyborg,
// and kills it before every call. While what a first fault ended is taken back, and while a Resume is at work after a
// first kill, there come second ones. Afterwards the instance has everything or nothing, see [world.violations].
//
// Each case has a name, by which it can be run alone. The plain test runs a part of them, always the same: each kill
// with one release, of the faults one in three, of the second ones one in twelve; -matrix . runs all.
func TestMatrix(t *testing.T) {
	t.Parallel()
	began := time.Now()
	var count matrixCount
	t.Run("of", func(t *testing.T) {
		for _, name := range matrixReleases {
			release, err := fakecyborg.FindRelease(name)
			require.NoError(t, err)
			for _, s := range scenarios() {
				t.Run(name+"/"+s.name, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { (&batch{t: t, release: release, scenario: s, count: &count}).run() })
				})
			}
		}
	})
	if whole := flag.Lookup("test.run").Value.String(); whole == "" && *matrixOnly == "" && !testing.Short() && !raceDetector {
		assert.GreaterOrEqual(t, count.ran.Load(), int64(5000))
	}
	t.Logf("%d combinations of operation, call, fault and release; %d of them kill the process; %d left out; %s",
		count.ran.Load(), count.kills.Load(), count.left.Load(), time.Since(began).Round(time.Second))
}

// matrixCount counts cases.
type matrixCount struct{ ran, kills, left atomic.Int64 }

// trial is a case: a mishap at a call, and perhaps a second one at a later call, of the operation or of the Resume
// after it.
type trial struct {
	at       int
	call     call
	mishap   mishap
	then     *trial
	inResume bool // says where then happens
}

func (t trial) String() string {
	text := fmt.Sprintf("%d %s/%s", t.at, t.call, t.mishap.name)
	switch {
	case t.then != nil && t.inResume:
		text += "/resume/" + t.then.String()
	case t.then != nil:
		text += "/" + t.then.String()
	}
	return text
}

func (t trial) kills() bool { return t.mishap.name == killed.name || t.then != nil && t.then.kills() }

// killed ends the process before a call.
var killed = mishap{"kill -9", anything, once, func(*strike) meddling { return meddling{kill: true} }}

// batch is the cases of an operation with a release. They have a world in common as long as each leaves it as it was.
type batch struct {
	t        *testing.T
	release  fakecyborg.Release
	scenario scenario
	count    *matrixCount
	world    *world
	// forget are the tasks that the disk loses, and bad the cases that failed: for the test of the test, which expects
	// them. Where forget is nil, they fail the test.
	forget func(lifecycle.Task) bool
	bad    []outcome
}

// run makes the cases from what the undisturbed operation does.
func (b *batch) run() {
	clean := b.try(trial{at: -1})
	if b.t.Failed() {
		return
	}
	all := mishaps()
	for at, c := range clean.calls {
		b.consider(trial{at: at, call: c, mishap: killed})
		b.secondAfter(trial{at: at, call: c, mishap: killed})
		for _, m := range all {
			if m.fits(c) {
				b.consider(trial{at: at, call: c, mishap: m})
			}
		}
		if at < clean.uncommitted && (ofGuest(c) || changing(c)) {
			b.secondAfter(trial{at: at, call: c, mishap: final(c)})
		}
	}
}

// final is a mishap after which the operation gives up and takes everything back.
func final(c call) mishap {
	name := "403"
	if ofGuest(c) {
		name = "abort"
	}
	for _, m := range mishaps() {
		if m.name == name && m.fits(c) {
			return m
		}
	}
	panic("no mishap for " + c.String())
}

// secondAfter makes the cases with a second mishap: while a first one is taken back, or in the Resume after a first kill.
func (b *batch) secondAfter(first trial) {
	first.then = &trial{at: -1}
	if !b.wanted(first, 12) {
		return
	}
	first.then = nil
	probe := b.try(first)
	calls, from := probe.calls, first.at+1
	if first.kills() {
		first.inResume = true
		calls, from = probe.resumed, 0
	}
	all := slices.DeleteFunc(append(mishaps(), killed), func(m mishap) bool { return !slices.Contains(seconds, m.name) })
	for at := from; at < len(calls); at++ {
		for _, m := range all {
			if m.fits(calls[at]) {
				first.then = &trial{at: at, call: calls[at], mishap: m}
				b.consider(first)
			}
		}
	}
}

// seconds are the mishaps that come second.
var seconds = []string{killed.name, "500", "reply lost", "guest error", "guest error when done", "not saved"}

// consider runs a case, unless the flags leave it out.
func (b *batch) consider(c trial) {
	share := uint32(3)
	switch {
	case c.then != nil: // secondAfter has chosen
		share = 0
	case c.kills():
		share = 1
	}
	if !b.wanted(c, share) {
		b.count.left.Add(1)
		return
	}
	b.count.ran.Add(1)
	if c.kills() {
		b.count.kills.Add(1)
	}
	b.try(c)
}

// wanted says whether to run a case. Without a pattern one of share is run, with one of the releases, and fewer where
// time is short; 0 stands for all.
func (b *batch) wanted(c trial, share uint32) bool {
	name := b.scenario.name + "/" + c.String()
	if pattern := *matrixOnly; pattern != "" {
		return c.then != nil && c.then.at < 0 || regexp.MustCompile(pattern).MatchString(name)
	}
	if share == 0 {
		return true
	}
	if testing.Short() || raceDetector {
		share *= 10
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	release := slices.Index(matrixReleases, b.release.Version)
	return h.Sum32()%(share*uint32(len(matrixReleases))) == uint32(release)
}

// outcome is what a case came to.
type outcome struct {
	calls []call
	// uncommitted is how many of them the undisturbed operation makes before it commits.
	uncommitted int
	// resumed are the calls of the Resume after a kill.
	resumed []call
	faults  []string
}

func (o *outcome) fault(format string, args ...any) {
	o.faults = append(o.faults, fmt.Sprintf(format, args...))
}

// matrixSeed is three hosts with no more devices than the scenarios need: more would only be more candidates.
func matrixSeed() fakecyborg.Seed {
	seed := worldSeed([]string{"node-0", "node-1", "node-2"})
	for i := range seed.Hosts {
		seed.Hosts[i].Devices = seed.Hosts[i].Devices[:5]
	}
	return seed
}

// try runs a case and reports what is wrong.
func (b *batch) try(c trial) outcome {
	if b.world == nil {
		b.world = newWorldOf(b.t, matrixSeed(), b.release)
		b.world.disk.forget = b.forget
	}
	o := &outcome{}
	b.play(c, o)
	if len(o.faults) > 0 {
		b.world = nil
		b.bad = append(b.bad, *o)
		b.report(c, o)
	}
	return *o
}

// report fails the test, unless the case was to fail.
func (b *batch) report(c trial, o *outcome) {
	if b.forget != nil {
		return
	}
	b.t.Errorf("%s with Cyborg %s: %s", b.scenario.name, b.release.Version, c)
	for _, f := range o.faults {
		b.t.Log("    " + f)
	}
	name := regexp.QuoteMeta(b.scenario.name + "/" + c.String())
	b.t.Logf("    alone: go test -run '%s' -matrix '^%s$'", strings.ReplaceAll(b.t.Name(), " ", "_"), name)
}

// aim makes a process meet the mishaps of a case.
func (b *batch) aim(p *process, c *trial, instance string, cancel context.CancelFunc, o *outcome) *strike {
	s := &strike{world: b.world, process: p, instance: instance, cancel: cancel}
	var active *trial
	p.gate.meddle = func(index int, met call) meddling {
		if c == nil && s.met == 0 && !s.committed {
			s.committed = b.committed(instance)
			o.uncommitted = index
		}
		if c != nil && c.at == index {
			if met != c.call {
				o.fault("call %d is %s, and was %s before: the operation cannot be repeated", index, met, c.call)
			}
			if s.met == 0 {
				s.committed = b.committed(instance)
			}
			active, c = c, c.then
			s.met++
			return active.mishap.meddle(s)
		}
		if active == nil {
			return meddling{}
		}
		same := met == active.call
		if active.mishap.span == repeated && same || active.mishap.span == outage && met.party == active.call.party {
			return active.mishap.meddle(s)
		}
		if active.mishap.span != outage {
			active = nil
		}
		return meddling{}
	}
	return s
}

// committed says whether the operation has come to the point of no return.
func (b *batch) committed(instance string) bool {
	operation := b.world.record(instance).Operation
	return operation != nil && operation.Committed
}

// play runs a case.
func (b *batch) play(c trial, o *outcome) {
	w := b.world
	w.steady.listen()
	instance, operation := b.scenario.prepare(w)
	before := w.record(instance)
	if before.State == "" {
		before.State = lifecycle.StateNone
	}
	p := w.start()
	ctx, cancel := context.WithTimeout(b.t.Context(), 10*time.Minute)
	defer cancel()
	aimed := &c
	if c.inResume {
		alone := c
		alone.then = nil
		aimed = &alone
	}
	if c.at < 0 {
		aimed = nil
	}
	s := b.aim(p, aimed, instance, cancel, o)
	err, dead := p.run(func() error { return operation(ctx, p.Manager) })
	if s.beside != nil {
		if err := <-s.beside; err != nil {
			o.fault("delete meanwhile: %v", err)
		}
	}
	o.calls = p.gate.log()
	w.fake.Faults().Clear("")
	if aimed != nil && s.met == 0 {
		o.fault("the call was never made")
	}
	w.steady.listen()
	switch {
	case dead:
		b.afterKill(c, before.State, instance, o)
	case s.beside != nil:
		b.afterDeletion(instance, o)
	case err != nil && aimed == nil:
		o.fault("%v", err)
	case err != nil:
		b.afterFailure(before.State, err, s, c, o)
	default:
		b.afterSuccess(instance, o)
	}
	if b.scenario.again() && len(o.faults) == 0 {
		if err := operation(b.t.Context(), w.steady.Manager); err != nil {
			o.fault("again: %v", err)
		}
	}
	o.faults = append(o.faults, w.violations()...)
	if len(o.faults) > 0 {
		if err != nil {
			o.fault("the operation's error: %v", err)
		}
		return
	}
	b.clean(o)
}

func jsonOf(record lifecycle.Record) string {
	text, err := json.Marshal(record)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (b *batch) afterSuccess(instance string, o *outcome) {
	record := b.world.record(instance)
	if record.State == "" {
		record.State = lifecycle.StateNone
	}
	if record.State != b.scenario.want {
		o.fault("the instance is %s after a success, not %s", record.State, b.scenario.want)
	}
	if len(record.Pending) > 0 {
		o.fault("%v is pending after a success", record.Pending)
	}
}

// afterDeletion checks that a deletion that came between left nothing but strays.
func (b *batch) afterDeletion(instance string, o *outcome) {
	if record := b.world.record(instance); record.Version != 0 && record.State != lifecycle.StateNone {
		o.fault("the instance is %s after its deletion", record.State)
	}
}

// afterKill resumes from the disk.
func (b *batch) afterKill(c trial, before lifecycle.State, instance string, o *outcome) {
	record := b.world.record(instance)
	if record.Version == 0 {
		if before != lifecycle.StateNone && b.scenario.want != lifecycle.StateNone {
			o.fault("the record is gone")
		}
		return
	}
	want := record.State
	p := b.world.start()
	var second *trial
	if c.inResume {
		second = c.then
	}
	s := b.aim(p, second, instance, func() {}, o)
	s.met++ // it is not the undisturbed operation
	err, dead := p.run(func() error { _, err := p.Resume(b.t.Context(), record); return err })
	o.resumed = p.gate.log()
	b.world.fake.Faults().Clear("")
	b.world.steady.listen()
	if record, found := b.world.disk.load(instance); second != nil && found {
		b.resume(record, o)
	} else if second == nil {
		b.resumedWell(err, o)
	}
	if dead != (second != nil && second.kills()) {
		o.fault("resume: dead %v", dead)
	}
	if len(o.faults) > 0 {
		return
	}
	after := b.world.record(instance)
	if after.State == "" {
		after.State = lifecycle.StateNone
	}
	if after.State != want {
		o.fault("the instance was %s on disk and is %s after Resume", want, after.State)
	}
}

// resume resumes in a new process, which may leave nothing but strays.
func (b *batch) resume(record lifecycle.Record, o *outcome) {
	_, err := b.world.steady.Resume(b.t.Context(), record)
	b.resumedWell(err, o)
}

func (b *batch) resumedWell(err error, o *outcome) {
	if failed, ok := errors.AsType[*lifecycle.Error](err); err != nil && (!ok || !onlyStrays(failed.Record)) {
		o.fault("resume: %v", err)
	}
}

func onlyStrays(record lifecycle.Record) bool {
	return len(record.Pending) > 0 && !slices.ContainsFunc(record.Pending, notStray)
}

func notStray(t lifecycle.Task) bool { return t.Kind != lifecycle.TaskStrays }

// afterFailure checks that what the error says is true, and resumes what could not be taken back.
func (b *batch) afterFailure(before lifecycle.State, err error, s *strike, c trial, o *outcome) {
	failed, ok := errors.AsType[*lifecycle.Error](err)
	if !ok {
		o.fault("%T is no *lifecycle.Error", err)
		return
	}
	record, m := failed.Record, c.mishap
	if c.then != nil {
		m = c.then.mishap
	}
	saving := m.fits(call{"store", "save"}) && !m.fits(call{"guest", "spawn"})
	left := slices.ContainsFunc(record.Pending, notStray)
	if left && !s.committed && m.span == once && c.then == nil {
		o.fault("%v is pending although only one call failed", record.Pending)
	}
	if len(record.Pending) > 0 && failed.Undo == nil && !s.committed {
		o.fault("%v is pending, and the error says nothing of it", record.Pending)
	}
	if !s.committed && record.State != before && !saving {
		o.fault("the instance was %s and is %s after the failure", before, record.State)
	}
	if record.Operation != nil {
		o.fault("the error's record is in operation %q", record.Operation.Op)
	}
	stored := b.world.record(failed.Instance)
	if !saving && record.Holds() {
		if given, saved := jsonOf(record), jsonOf(stored); given != saved {
			o.fault("the record of the error is not what was saved: %s", cmp.Diff(given, saved))
		}
	}
	if saving && strings.HasSuffix(m.name, inHand) {
		stored = record
	}
	if stored.Version != 0 && (stored.Operation != nil || slices.ContainsFunc(stored.Pending, notStray) || saving) {
		b.resume(stored, o)
	}
}

// clean deletes everything, which has to work, and leaves the world as it was.
func (b *batch) clean(o *outcome) {
	w := b.world
	for _, host := range w.hypervisor.failed() {
		boot := slices.ContainsFunc(w.disk.all(), func(r lifecycle.Record) bool { return r.Now.Host == host || slices.Contains(r.Left, host) })
		if !boot {
			w.hypervisor.wipe(host)
			continue
		}
		w.hypervisor.setDown(host, false)
		for _, outcome := range w.steady.HostBoot(b.t.Context(), host, w.disk.all()) {
			if outcome.Err != nil {
				o.fault("boot of %s: %v", host, outcome.Err)
			}
		}
		o.faults = append(o.faults, w.violations()...)
	}
	if err := w.deleteStrays(); err != nil {
		o.fault("delete strays: %v", err)
	}
	for _, record := range w.disk.all() {
		if err := w.steady.Delete(b.t.Context(), record); err != nil {
			o.fault("delete: %v", err)
		}
	}
	o.faults = append(o.faults, w.violations()...)
	if records := w.disk.all(); len(records) > 0 {
		o.fault("records are left: %v", records)
	}
	if len(w.given) > 0 {
		if _, err := w.cyborg.DeleteARQs(b.t.Context(), w.given...); err != nil {
			o.fault("delete the given ARQs: %v", err)
		}
		w.given = nil
	}
}
