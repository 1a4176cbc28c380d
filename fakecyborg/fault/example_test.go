package fault_test

import (
	"fmt"

	"github.com/novacyborg/novacyborg/fakecyborg/fault"
)

func ExampleNewSet() {
	set := fault.NewSet("arq:create", "arq:update")
	if err := set.Add(fault.Rule{Operation: "arq:update", Nth: 2, Fault: fault.DropAfter{}}); err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		hit, met := set.Exchange(fault.Subject{Operation: "arq:update"})
		fmt.Printf("%t %q\n", met != nil, hit.Rule)
	}
	fmt.Println(set.Add(fault.Rule{Operation: "arq:bind", Fault: fault.Hang{}}))
	// Output:
	// false ""
	// true "fault-1"
	// false ""
	// [0].operation: unknown operation "arq:bind", known are arq:create, arq:update, bind, program, event and "*" for all of the API
}

func ExampleParse() {
	rules, err := fault.Parse("faults.yaml", []byte(`
- operation: bind
  host: rack1
  fault: {kind: late, after: 20s}
- {operation: event, fault: {kind: event_lost}}
`))
	fmt.Println(rules, err != nil)
	rules, err = fault.Parse("faults.yaml", []byte(`{operation: event, first: 1, fault: event_drop}`))
	fmt.Println(len(rules), rules[0].Fault.Kind(), err)
	// Output:
	// [] true
	// 1 event_drop <nil>
}
