package lifecycle_test

import (
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

// ofOperation are the mishaps of the operation, nil for none.
func (t trial) ofOperation() *trial {
	if t.inResume {
		t.then = nil
	}
	if t.at < 0 {
		return nil
	}
	return &t
}

// ofResume is the mishap of the Resume after it.
func (t trial) ofResume() *trial {
	if !t.inResume {
		return nil
	}
	return t.then
}

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
