package virtdriver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// step is one thing that happens during a wait. A play is an order of steps, each of which is over before the next.
type step struct {
	what kind
	arq  int // of bind, fail, event and duplicate
}

type kind byte

const (
	doRegister  kind = 'R' // the wait begins: it registers and polls at once
	doPoll      kind = 'P' // the pause between two polls passes
	doTimeout   kind = 'T' // the deadline passes
	doCancel    kind = 'C' // the caller gives up
	doBind      kind = 'b' // Cyborg decides: Bound
	doFail      kind = 'f' // Cyborg decides: BindFailed
	doEvent     kind = 'e' // Cyborg's event for the ARQ comes, before or after it is decided
	doDuplicate kind = 'd' // the event comes again
)

func (s step) String() string {
	if s.arq < 0 {
		return string(s.what)
	}
	return fmt.Sprintf("%c%d", s.what, s.arq+1)
}

const pause, deadline = 10 * time.Minute, 15 * time.Minute // so that one pause fits in, and two do not

var playARQs = [...]string{arqA, arqB, "0f0f0f0f-0000-4000-8000-000000000000"}

// playStates are the ARQs as Cyborg lists them after a decision, 0 for none.
var playStates = map[kind][len(playARQs)]cyborgclient.ARQ{
	0:      allARQs(cyborgclient.StateBindStarted),
	doBind: allARQs(cyborgclient.StateBound),
	doFail: allARQs(cyborgclient.StateBindFailed),
}

func allARQs(state cyborgclient.ARQState) (arqs [len(playARQs)]cyborgclient.ARQ) {
	for i, uuid := range playARQs {
		arqs[i] = arq(uuid, state)
	}
	return arqs
}

// model says what a right wait comes to. It knows the rules and nothing of the waiter: a poll happens at the start,
// after the first event of each ARQ, after a pause and shortly before the deadline; the first poll that sees a failure,
// or everything bound, ends the wait.
type model struct {
	n                          int
	waiting, cancelled, paused bool
	decided, seen              [len(playARQs)]kind
	sent                       [len(playARQs)]int
	heard                      [len(playARQs)]bool
	polls                      int
	verdict                    string // bound, failed, timed out, cancelled; "": the wait goes on
}

// modelOf is the model after a play.
func modelOf(n int, play []step) model {
	m := model{n: n}
	for _, s := range play {
		m = m.after(s)
	}
	return m
}

func (m model) after(s step) model {
	switch s.what {
	case doBind, doFail:
		m.decided[s.arq] = s.what
	case doRegister:
		if m.waiting = true; m.cancelled {
			m.verdict = "cancelled"
			return m
		}
		return m.look()
	case doPoll:
		m.paused = true
		return m.look()
	case doEvent, doDuplicate:
		m.sent[s.arq]++
		if m.waiting && !m.heard[s.arq] { // a duplicate, too, is new to the wait if the event came before it
			m.heard[s.arq] = true
			return m.look()
		}
	case doTimeout:
		if m = m.look(); m.verdict == "" {
			m.verdict = "timed out"
		}
	case doCancel:
		if m.cancelled = true; m.waiting {
			m.verdict = "cancelled"
		}
	}
	return m
}

func (m model) look() model {
	m.polls++
	m.seen = m.decided
	switch seen := m.seen[:m.n]; {
	case slices.Contains(seen, doFail):
		m.verdict = "failed"
	case !slices.Contains(seen, 0):
		m.verdict = "bound"
	}
	return m
}

// sight is what can be seen from outside after a step.
type sight struct {
	Polls, Registered int
	Ended             bool
}

func (m model) sight() sight {
	s := sight{Polls: m.polls, Ended: m.verdict != ""}
	if m.waiting && !s.Ended {
		for _, heard := range m.heard[:m.n] {
			if !heard {
				s.Registered++
			}
		}
	}
	return s
}

// result is what a wait came to, in words that a model can say as well.
type result struct {
	Verdict string
	Polls   int
	States  string // of the ARQs as last seen, with their events; of an error only
}

func (m model) result() result {
	r := result{Verdict: m.verdict, Polls: m.polls}
	if m.verdict == "bound" {
		return r
	}
	for i, seen := range m.seen[:m.n] {
		state := playStates[seen][i].State
		if m.polls == 0 {
			state = ""
		}
		r.see(state, m.heard[i])
	}
	return r
}

func (r *result) see(state cyborgclient.ARQState, heard bool) {
	r.States += string(state)
	if heard {
		r.States += "+event"
	}
	r.States += " "
}

// waiter is what is under test. Its wait must return when the context ends.
type waiter struct {
	wait    func(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error)
	deliver func(r *virtdriver.Receiver, e virtdriver.Event) bool
}

// stage is where plays are performed, one after the other, in a bubble. They share the receiver, so that one could also
// see what an earlier play has left in it.
type stage struct {
	waiter   waiter
	receiver *virtdriver.Receiver
}

// perform plays a play to a wait and returns where it first differs from the model, "" for nowhere.
func (st stage) perform(t *testing.T, n int, play []step) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	arqs := playStates[0]
	p := &performance{stage: st, n: n, ctx: ctx, stop: stop, cyborg: newCyborg(arqs[:n]...), ended: make(chan struct{})}
	p.interval = deadline * 2 // never, unless the play has a poll
	if slices.Contains(play, step{doPoll, -1}) {
		p.interval = pause
	}
	m := model{n: n}
	for i, s := range play {
		p.take(s)
		synctest.Wait()
		m = m.after(s)
		if got := p.sight(); got != m.sight() {
			stop()
			time.Sleep(2 * deadline) // a bubble ends only when its goroutines have
			return fmt.Sprintf("%v: step %d: is %+v, should be %+v", play, i+1, got, m.sight())
		}
	}
	for _, uuid := range playARQs[:n] {
		if st.receiver.Deliver(bound(uuid)) {
			return fmt.Sprintf("%v: a late event finds somebody", play)
		}
	}
	if got := p.result(); got != m.result() {
		return fmt.Sprintf("%v: is %+v, should be %+v", play, got, m.result())
	}
	return ""
}

// performance is one wait during a play.
type performance struct {
	stage
	n        int
	ctx      context.Context
	stop     func()
	interval time.Duration
	cyborg   *cyborg
	began    time.Time
	ended    chan struct{}
	arqs     []cyborgclient.ARQ // once ended
	err      error
}

func (p *performance) take(s step) {
	switch s.what {
	case doRegister:
		p.began = time.Now()
		go func() {
			defer close(p.ended)
			p.arqs, p.err = p.waiter.wait(p.ctx, p.cyborg, p.receiver, p.interval, want(playARQs[:p.n]...))
		}()
	case doPoll:
		time.Sleep(pause)
	case doTimeout:
		time.Sleep(deadline - time.Since(p.began))
	case doCancel:
		p.stop()
	case doBind, doFail:
		p.cyborg.mu.Lock()
		defer p.cyborg.mu.Unlock()
		p.cyborg.arqs = slices.Clone(p.cyborg.arqs) // the wait may hold the old ones
		p.cyborg.arqs[s.arq] = playStates[s.what][s.arq]
	case doEvent, doDuplicate:
		p.waiter.deliver(p.receiver, bound(playARQs[s.arq]))
	}
}

func (p *performance) sight() sight {
	p.cyborg.mu.Lock()
	defer p.cyborg.mu.Unlock()
	s := sight{Polls: len(p.cyborg.polls), Registered: p.receiver.Waiting()}
	select {
	case <-p.ended:
		s.Ended = true
	default:
	}
	return s
}

func (p *performance) result() result {
	r := result{Polls: len(p.cyborg.polls)}
	var table *virtdriver.WaitError
	switch {
	case p.err == nil:
		r.Verdict = "bound"
		right := func(got cyborgclient.ARQ, uuid string) bool {
			return got.UUID == uuid && got.State == cyborgclient.StateBound
		}
		if !slices.EqualFunc(p.arqs, playARQs[:p.n], right) {
			r.Verdict = fmt.Sprintf("bound, but with %v", p.arqs)
		}
		return r
	case !errors.As(p.err, &table):
		r.Verdict = p.err.Error()
		return r
	case errors.Is(p.err, virtdriver.ErrNotBound):
		r.Verdict = "failed"
	case errors.Is(p.err, virtdriver.ErrWaitTimeout):
		r.Verdict = "timed out"
	case errors.Is(p.err, context.Canceled):
		r.Verdict = "cancelled"
	}
	for _, v := range table.ARQs {
		r.see(v.State, v.Event == virtdriver.StatusCompleted)
	}
	return r
}
