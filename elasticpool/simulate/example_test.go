package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/simulate"
)

func ExampleRun() {
	r, err := simulate.Run(context.Background(), simulate.Config{
		Name: simulate.Static, Days: 2, VMs: 20, Load: 0.5, Shape: simulate.Shape{BatchMedian: 10},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Boots, "boots,", r.Unserved, "unserved,", r.JobsKilled, "killed")
	// Output: 20 boots, 0 unserved, 0 killed
}

func ExamplePrepare() {
	stage, err := simulate.Prepare(simulate.Config{
		Days: 0.25, VMs: 1, Jobs: []simulate.Job{
			{Queue: "JUNO", Runtime: time.Hour, Request: elasticpool.Resources{elasticpool.CPUs: 1}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, err := simulate.NewPolicy(simulate.Fair, stage.Facts())
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := stage.Run(context.Background(), policy)
	fmt.Println(r.Finished, "job finished,", r.Boots, "boot,", err)
	// Output: 1 job finished, 1 boot, <nil>
}

func ExampleNewSWFReader() {
	log := "; MaxProcs: 430\n1 0 5 3600 4 -1 -1 4 7200 -1 1 11 2 -1 3 1 -1 -1\n"
	reader := simulate.NewSWFReader(strings.NewReader(log), "some.swf")
	for {
		job, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("job", job.Number, "of queue", job.Queue, "ran", job.Runtime, "s on", job.Procs, "of", reader.Header("MaxProcs"))
	}
	// Output: job 1 of queue 3 ran 3600 s on 4 of 430
}
