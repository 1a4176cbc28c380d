package lifecycle

import (
	"context"
	"sync"
)

// Outcome is how the operation on one of several instances ended.
type Outcome struct {
	// Instance is the uuid of the instance.
	Instance string
	// Result is nil if there is an error.
	Result *Result
	Err    error
}

// CreateMany builds several instances, as many at a time as WithParallelBuilds lets. Each stands for itself: one that
// fails takes nothing from the others (B5), and each may take any candidate of a host, not only the first (LP#1874664).
// The outcomes are in the order of the requests.
func (m *Manager) CreateMany(ctx context.Context, requests []CreateRequest) []Outcome {
	outcomes := make([]Outcome, len(requests))
	group := &queue{}
	var builds sync.WaitGroup
	for i, request := range requests {
		request.group = group
		builds.Go(func() {
			result, err := m.Create(ctx, request)
			outcomes[i] = Outcome{Instance: request.Consumer.UUID, Result: result, Err: err}
		})
	}
	builds.Wait()
	return outcomes
}
