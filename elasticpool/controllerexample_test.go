package elasticpool_test

import (
	"fmt"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// A controller is pure: it sees, and says what is to be done. Here it has seen nothing yet, and so does nothing.
func ExampleNewController() {
	controller, err := elasticpool.NewController(elasticpool.Policy{
		Pool:   "physics",
		Queues: []elasticpool.Queue{{Name: "juno"}},
		Classes: []elasticpool.Class{{
			Name: "small", Cloud: "north", Slot: elasticpool.Resources{elasticpool.CPUs: 1, elasticpool.Memory: 2048},
		}},
		Clouds: []elasticpool.Cloud{{Name: "north"}},
	}, elasticpool.State{})
	if err != nil {
		fmt.Println(err)
		return
	}
	decision := controller.Decide(elasticpool.Input{Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	fmt.Println(len(decision.Actions), "actions")
	// Output:
	// 0 actions
}
