package differential_test

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// shrinker makes a sequence that ends in a mismatch shorter and simpler, as long as it still ends in one.
type shrinker struct {
	lockstep *lockstep
	best     *mismatch
	budget   int // replays that are left
}

// shrink returns the shortest sequence that it finds within so many replays. A mismatch that does not come again is returned as it is.
func (l *lockstep) shrink(ctx context.Context, found *mismatch, replays int) (shortest *mismatch, again bool, err error) {
	s := &shrinker{lockstep: l, best: found, budget: replays}
	again, err = s.try(ctx, found.steps)
	if err != nil || !again {
		return found, again, err
	}
	for size := -1; err == nil && s.budget > 0 && size != s.size(); {
		size = s.size()
		if err = s.fewer(ctx); err == nil {
			err = s.simpler(ctx)
		}
	}
	return s.best, true, err
}

// size is what shrinking makes smaller.
func (s *shrinker) size() int {
	size := 0
	for _, st := range s.best.steps {
		size += 1000 + len(st.target) + len(st.body) + 50*len(st.header) + len(st.service) + len(st.user)
	}
	return size
}

// try says whether the steps end in a mismatch, and keeps them if so.
func (s *shrinker) try(ctx context.Context, steps []step) (bool, error) {
	if s.budget--; s.budget < 0 {
		return false, nil
	}
	found, err := s.lockstep.replay(ctx, steps)
	if err != nil || found == nil {
		return false, err
	}
	s.best = found
	return true, nil
}

// fewer leaves out steps, many at once first.
func (s *shrinker) fewer(ctx context.Context) error {
	for size := max(len(s.best.steps)/2, 1); size > 0; size /= 2 {
		for start := len(s.best.steps) - 1 - size; ; start -= size {
			from, to := max(start, 0), start+size
			if to > 0 && to < len(s.best.steps) {
				if _, err := s.try(ctx, slices.Delete(slices.Clone(s.best.steps), from, to)); err != nil {
					return err
				}
			}
			if start <= 0 {
				break
			}
		}
	}
	return nil
}

// simpler changes single steps.
func (s *shrinker) simpler(ctx context.Context) error {
	for i := 0; i < len(s.best.steps); i++ {
		for _, change := range simplifications(s.best.steps[i]) {
			if i >= len(s.best.steps) {
				break
			}
			steps := slices.Clone(s.best.steps)
			steps[i] = change
			if _, err := s.try(ctx, steps); err != nil {
				return err
			}
		}
	}
	return nil
}

// simplifications are simpler forms of a step, each changed in one place.
func simplifications(st step) []step {
	var simpler []step
	add := func(change func(*step)) {
		changed := st
		changed.header = maps.Clone(st.header)
		change(&changed)
		simpler = append(simpler, changed)
	}
	for name := range st.header {
		if name != "Content-Type" {
			add(func(c *step) { delete(c.header, name) })
		}
	}
	if st.user != "admin" {
		add(func(c *step) { c.user = "admin" })
	}
	if st.service != "" && st.service != "nova" {
		add(func(c *step) { c.service = "nova" })
	}
	if st.service != "" {
		add(func(c *step) { c.service = "" })
	}
	for _, body := range smaller(st.body) {
		add(func(c *step) { c.body = body })
	}
	return simpler
}

// smaller are the texts that a JSON text becomes without one of its parts between commas.
func smaller(body string) []string {
	var texts []string
	tokens := tokensOf(body)
	for i, token := range tokens {
		if token != "," {
			continue
		}
		depth := 0
		for j := i + 1; j < len(tokens); j++ { // without what follows the comma
			switch tokens[j] {
			case "{", "[":
				depth++
			case "}", "]":
				depth--
			}
			if depth < 0 || depth == 0 && tokens[j] == "," {
				texts = append(texts, joined(tokens[:i], tokens[j:]))
				break
			}
		}
		depth = 0
		for j := i - 1; j >= 0; j-- { // without what is before it
			switch tokens[j] {
			case "}", "]":
				depth++
			case "{", "[":
				depth--
			}
			if depth < 0 || depth == 0 && tokens[j] == "," {
				texts = append(texts, joined(tokens[:j+1], tokens[i+1:]))
				break
			}
		}
	}
	return texts
}

func joined(before, after []string) string {
	return strings.Join(before, "") + strings.Join(after, "")
}
