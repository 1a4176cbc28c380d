package opennebula_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/opennebula"
)

// The login is the content of a ONE_AUTH file; it is shown by no error.
func ExampleNew() {
	cloud, err := opennebula.New("http://127.0.0.1:1/RPC2", "farmer:secret")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _, err = cloud.Servers(context.Background(), "farm")
	fmt.Println(errors.Is(err, elasticpool.ErrTransient))
	_, err = opennebula.New("http://one.example.org:2633/RPC2", "farmer:secret")
	fmt.Println(err)
	// Output:
	// true
	// opennebula: endpoint "http://one.example.org:2633/RPC2": over http everybody on the way can read the password; use https, or allow it
}
