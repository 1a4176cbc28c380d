package placement

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// A conflict of generations is over as soon as the other writer is done, so the first wait is short; the later ones
// spread many writers of one provider apart. All waits together stay below ten seconds.
const (
	conflictTries       = 8
	conflictFirstWait   = 50 * time.Millisecond
	conflictLongestWait = 4 * time.Second
)

// retry repeats an attempt while it asks for it, after waits that grow and are jittered. Each attempt must read again what
// it writes. It mirrors nova/scheduler/client/report.py:retries, which does not wait.
func retry(ctx context.Context, attempt func() (again bool, err error)) error {
	for try := 1; ; try++ {
		again, err := attempt()
		if !again || try == conflictTries {
			return err
		}
		if pause(ctx, try) != nil {
			return errors.Join(err, context.Cause(ctx))
		}
	}
}

// pause waits before the next try: between half and all of a span that doubles with each try.
func pause(ctx context.Context, try int) error {
	span := min(conflictFirstWait<<(try-1), conflictLongestWait)
	timer := time.NewTimer(span/2 + rand.N(span/2)) //nolint:gosec // waits are no secret
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
