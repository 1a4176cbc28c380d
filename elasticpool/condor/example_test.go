package condor_test

import (
	"fmt"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/condor"
)

func ExampleNew() {
	pool, err := condor.New(condor.Config{
		Command: []string{"ssh", "head.example.org"}, Shell: true,
		Schedds: []string{"head.example.org"}, Prefix: "group_",
		Resources: map[string]string{elasticpool.GPUs: "RequestGPUs"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(pool.Sources()), "source of jobs")

	_, err = condor.New(condor.Config{})
	fmt.Println(err)
	// Output:
	// 1 source of jobs
	// condor: schedds: name at least one schedd (condor_status -schedd)
}

func ExampleWorkerConfig() {
	text, err := condor.WorkerConfig("physics", "01JXKQ7M3T5V9B2C4D6E8F0G1H")
	if err != nil {
		fmt.Println(err)
		return
	}
	lines := strings.SplitN(text, "\n", 3)
	fmt.Println(lines[0])
	fmt.Println(lines[1])
	// Output:
	// ElasticPool = "physics"
	// ElasticVM = "01JXKQ7M3T5V9B2C4D6E8F0G1H"
}
