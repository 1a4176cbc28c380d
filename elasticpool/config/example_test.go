package config_test

import (
	"fmt"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool/config"
)

func ExampleRead() {
	c, err := config.Read(strings.NewReader(config.Example), "example.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, queue := range c.Policy().Queues {
		fmt.Println(queue.Name)
	}
	_, err = config.Read(strings.NewReader("pool: physics\nquees: []\n"), "pool.yaml")
	fmt.Println(strings.Split(err.Error(), "\n")[0])
	// Output:
	// lhaaso
	// juno
	// pool.yaml:2: there is no key "quees" here; did you mean queues?
}
