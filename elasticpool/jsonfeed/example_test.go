package jsonfeed_test

import (
	"context"
	"fmt"

	"github.com/novacyborg/novacyborg/elasticpool/jsonfeed"
)

func ExampleNew() {
	feed, err := jsonfeed.New(jsonfeed.Config{
		Jobs:    jsonfeed.From{Command: []string{"echo", `{"jobs": [{"queue": "juno", "request": {"cpus": 1}, "idle": 3}]}`}},
		Workers: jsonfeed.From{URL: "http://127.0.0.1:8080/workers"},
		Drain:   []string{"scontrol", "update", "nodename={name}", "state=drain"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	jobs, err := feed.Jobs(context.Background())
	fmt.Println(jobs[0].Queue, jobs[0].Waiting(), err)
	// Output:
	// juno 3 <nil>
}
