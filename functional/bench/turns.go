package main

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// side is one of two that do the same.
type side struct {
	block  int // operations of one block
	blocks int // in one turn
	do     func(ctx context.Context) error
}

// comparison is two sides that are measured by turns, in blocks of some requests. What counts is each one's best block,
// since the other load of a machine only ever makes a block longer.
type comparison struct {
	rounds, workers int
	ours, theirs    side
}

// run returns the time from one operation to the next of either side.
func (c comparison) run(ctx context.Context) (ours, theirs time.Duration, err error) {
	ours, theirs = math.MaxInt64, math.MaxInt64
	for range c.rounds {
		for range c.ours.blocks {
			if err := c.ours.measure(ctx, c.workers, &ours); err != nil {
				return 0, 0, fmt.Errorf("ours: %w", err)
			}
		}
		for range c.theirs.blocks {
			if err := c.theirs.measure(ctx, c.workers, &theirs); err != nil {
				return 0, 0, fmt.Errorf("theirs: %w", err)
			}
		}
	}
	return ours, theirs, nil
}

// measure runs one block by so many workers and keeps the best time of one operation.
func (s side) measure(ctx context.Context, workers int, best *time.Duration) error {
	var (
		group sync.WaitGroup
		left  atomic.Int64
		once  sync.Once
		err   error
	)
	left.Store(int64(s.block))
	start := time.Now()
	for range workers {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				if one := s.do(ctx); one != nil {
					once.Do(func() { err = one })
					return
				}
			}
		})
	}
	group.Wait()
	*best = min(*best, time.Since(start)/time.Duration(s.block))
	return err
}

// rate fills a row of two sides that answer requests.
func (r *row) rate(ours, theirs time.Duration) {
	r.Ours, r.Theirs = perSecond(ours), perSecond(theirs)
	r.Ratio = float64(theirs) / float64(ours)
}

func perSecond(each time.Duration) string {
	return significant(float64(time.Second)/float64(each)) + "/s"
}
