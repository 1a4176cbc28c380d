package elasticpool_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// emptyCloud has room for ten VMs, and none yet.
type emptyCloud struct{ elasticpool.Provider }

func (emptyCloud) Servers(context.Context, string) ([]elasticpool.Server, bool, error) {
	return nil, true, nil
}

func (emptyCloud) Limits(context.Context) (elasticpool.Limits, error) {
	ten := elasticpool.Resources{elasticpool.VMs: 10}
	return elasticpool.Limits{Total: ten, Free: ten}, nil
}

// busyBatch has three jobs that wait, and no workers.
type busyBatch struct{ elasticpool.BatchSystem }

func (busyBatch) Jobs(context.Context) ([]elasticpool.JobGroup, error) {
	return []elasticpool.JobGroup{{Queue: "juno", Request: elasticpool.Resources{elasticpool.CPUs: 1}, Idle: 3}}, nil
}

func (busyBatch) Workers(context.Context) (elasticpool.Workers, error) {
	return elasticpool.Workers{}, nil
}

// A dry run says what the pool would do now.
func ExampleNewPool() {
	ctx := context.Background()
	pool, err := elasticpool.NewPool(ctx, elasticpool.PoolConfig{
		Policy: elasticpool.Policy{
			Pool:   "physics",
			Queues: []elasticpool.Queue{{Name: "juno"}},
			Classes: []elasticpool.Class{{
				Name: "small", Cloud: "north", Slot: elasticpool.Resources{elasticpool.CPUs: 1, elasticpool.Memory: 2048},
			}},
			Clouds: []elasticpool.Cloud{{Name: "north"}},
		},
		Batch:  busyBatch{},
		Clouds: map[string]elasticpool.Provider{"north": emptyCloud{}},
		Dir:    os.TempDir() + "/elasticpool-example",
	}, elasticpool.WithDryRun(), elasticpool.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		panic(err)
	}
	decision, err := pool.Cycle(ctx)
	if err != nil {
		panic(err)
	}
	for _, action := range decision.Actions {
		fmt.Println(action.Kind, action.Class, action.Queue)
	}
	if err := pool.Close(); err != nil {
		panic(err)
	}
	// Output:
	// create small juno
	// create small juno
	// create small juno
}
