package differential_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// lockstep sends each step to both services and compares what they answer.
type lockstep struct {
	real, fake *side
	comparer   *comparer
	// sent counts the steps that were compared, by status of the answer.
	sent map[int]int
	// attributes are those that there are at first.
	attributes []object
	// spoilt says that the services differ, so that more than what was made has to be made anew.
	spoilt bool
}

// mismatch is where two services differ.
type mismatch struct {
	steps      []step // the last one is answered differently
	real, fake answer
	diff       string
}

// String shows the steps, and the last answers in full.
func (m *mismatch) String() string {
	var text strings.Builder
	for _, st := range m.steps {
		fmt.Fprintf(&text, "%s\n", st)
	}
	fmt.Fprintf(&text, "\nthe real service:\n%s\n\nthe fake:\n%s\n\nafter normalising (-real +fake):\n%s", canonical(m.real), canonical(m.fake), m.diff)
	return text.String()
}

// ask sends a step to both; the mismatch is nil if they agree.
func (l *lockstep) ask(ctx context.Context, st step) (*mismatch, error) {
	l.comparer.names.same(st.target + " " + st.body)
	real, err := l.real.send(ctx, st)
	if err != nil {
		return nil, fmt.Errorf("the real service: %w", err)
	}
	fake, err := l.fake.send(ctx, st)
	if err != nil {
		return nil, fmt.Errorf("the fake: %w", err)
	}
	l.sent[real.status]++
	if diff := l.comparer.compare(st, real, fake); diff != "" {
		l.spoilt = true
		return &mismatch{steps: []step{st}, real: real, fake: fake, diff: diff}, nil
	}
	return nil, nil
}

// random runs a sequence of random steps, from an empty cloud. It ends at a mismatch for which goOn is false.
func (l *lockstep) random(ctx context.Context, seed, sequence uint64, length int, goOn func(*mismatch) bool) (*mismatch, error) {
	if err := l.clean(ctx); err != nil {
		return nil, err
	}
	g := newGenerator(seed, sequence)
	var steps []step
	for range length {
		st := g.step()
		steps = append(steps, st)
		found, err := l.ask(ctx, st)
		if err != nil {
			return nil, fmt.Errorf("sequence %d: %w", sequence, err)
		}
		if found != nil {
			found.steps = slices.Clone(steps)
			if !goOn(found) {
				return found, nil
			}
		}
		g.learn(st, len(l.real.told[strconv.Itoa(st.id)]))
	}
	return nil, nil
}

// replay runs the steps again, from an empty cloud.
func (l *lockstep) replay(ctx context.Context, steps []step) (*mismatch, error) {
	if err := l.clean(ctx); err != nil {
		return nil, err
	}
	for i, st := range steps {
		found, err := l.ask(ctx, st)
		if err != nil {
			return nil, err
		}
		if found != nil {
			found.steps = steps[:i+1]
			return found, nil
		}
	}
	return nil, nil
}

// kind is the same for mismatches that are alike.
func (m *mismatch) kind() string {
	st := m.steps[len(m.steps)-1]
	return st.method + " " + digits.ReplaceAllString(m.diff, "0")
}

var digits = regexp.MustCompile(`[0-9]+`)
