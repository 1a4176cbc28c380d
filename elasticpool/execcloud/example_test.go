package execcloud_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/execcloud"
)

// A program in any language is a cloud: this one, in shell, has no servers and room for three.
func ExampleNew() {
	const script = `
		while read -r line; do
			id=${line#*:}; id=${id%%,*}
			case $line in
			*'"method":"capabilities"'*) result='{"protocol":1,"methods":["servers","limits"]}' ;;
			*'"method":"servers"'*) result='{"servers":[],"complete":true}' ;;
			*) result='{"total":{"vms":3},"free":{"vms":3}}' ;;
			esac
			echo "{\"id\":$id,\"result\":$result}"
		done`
	cloud, err := execcloud.New([]string{"sh", "-c", script})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = cloud.Close() }()
	limits, err := cloud.Limits(context.Background())
	fmt.Println(limits.Free, err)
	err = cloud.Delete(context.Background(), elasticpool.Server{ID: "i-1"})
	fmt.Println(err)
	// Output:
	// map[vms:3] <nil>
	// delete server i-1 with plugin sh: not supported
}

// nothing is a cloud that has no room.
type nothing struct{ elasticpool.Provider }

func (nothing) Limits(context.Context) (elasticpool.Limits, error) {
	return elasticpool.Limits{Total: elasticpool.Resources{elasticpool.VMs: 0}}, nil
}

// A plugin in Go is a provider and one call; its input and output are os.Stdin and os.Stdout.
func ExampleServe() {
	in := strings.NewReader(`{"id":1,"method":"limits","timeout_ms":60000,"params":{}}` + "\n")
	if err := execcloud.Serve(context.Background(), in, os.Stdout, nothing{}); err != nil {
		fmt.Println(err)
	}
	// Output: {"id":1,"result":{"total":{"vms":0},"free":{}}}
}
