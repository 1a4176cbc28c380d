package console_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"syscall"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/console"
)

func examplePolicy() elasticpool.Policy {
	return elasticpool.Policy{
		Pool:   "physics",
		Queues: []elasticpool.Queue{{Name: "juno"}},
		Classes: []elasticpool.Class{{
			Name: "small", Cloud: "north", Slot: elasticpool.Resources{elasticpool.CPUs: 1, elasticpool.Memory: 2048},
		}},
		Clouds: []elasticpool.Cloud{{Name: "north"}},
	}
}

// A console answers before there is a pool. Its Observe goes to elasticpool.WithObserver, the pool to its Show.
func ExampleNew() {
	c, err := console.New(examplePolicy(), console.WithToken("secret"))
	if err != nil {
		fmt.Println(err)
		return
	}
	answer := httptest.NewRecorder()
	c.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(context.Background(), "GET", "http://localhost/healthz", nil))
	fmt.Println(answer.Code)
	// Output:
	// 503
}

func ExampleNewClient() {
	c, err := console.New(examplePolicy())
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(c.Handler())
	defer server.Close()
	_, err = console.NewClient(server.URL, "", nil).Status(context.Background())
	fmt.Println(err != nil)
	// Output:
	// true
}

// A pool's socket is in its directory; nobody but its owner can open it.
func ExampleNewSocketClient() {
	_, err := console.NewSocketClient("no-such-folder/control.sock").Status(context.Background())
	fmt.Println(errors.Is(err, syscall.ENOENT))
	// Output:
	// true
}
