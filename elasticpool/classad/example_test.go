package classad_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/novacyborg/novacyborg/elasticpool/classad"
)

// An output of condor_q -json is read and an attribute that is an expression evaluated.
func Example() {
	const output = `[{"ClusterId":7,"RequestCpus":"\/Expr(1 + (2 % 4))\/","RequestMemory":2048}]`
	var jobs []classad.Ad
	if err := json.Unmarshal([]byte(output), &jobs); err != nil {
		fmt.Println(err)
		return
	}
	cpus, ok := jobs[0].Eval("RequestCpus", classad.Ad{}).Int()
	fmt.Println(cpus, ok)
	// Output: 3 true
}

// A job is matched with a machine that does not exist yet.
func ExampleExpr_Eval() {
	requirements, err := classad.Parse(`TARGET.Memory >= RequestMemory && ` +
		`countMatches(MY.RequireGPUs,TARGET.AvailableGPUs) >= RequestGPUs`)
	if err != nil {
		fmt.Println(err)
		return
	}
	needed, err := classad.Parse(`Capability >= 7.0`)
	if err != nil {
		fmt.Println(err)
		return
	}
	var job, gpu, slot classad.Ad
	job.Set("RequestMemory", classad.Int(1024))
	job.Set("RequestGPUs", classad.Int(1))
	job.SetExpr("RequireGPUs", needed)
	gpu.Set("Capability", classad.Real(7.5))
	slot.Set("AvailableGPUs", classad.List(classad.Nested(gpu)))

	fmt.Println(requirements.Eval(job, slot))
	slot.Set("Memory", classad.Int(4096))
	fmt.Println(requirements.Eval(job, slot))
	// Output:
	// undefined
	// true
}

func ExampleParse() {
	e, err := classad.Parse(`a=?=1||!B`)
	fmt.Println(e, err)
	_, err = classad.Parse(`JobStatus ==`)
	fmt.Println(err)
	fmt.Println(errors.Is(err, classad.ErrSyntax))
	// Output:
	// a is 1 || !B <nil>
	// column 13: no ClassAd expression: found the end, expected an operand
	// true
}

func ExampleUnwrap() {
	fmt.Println(classad.Unwrap("/Expr(2048 * (1 + (2 % 3)))/"))
	fmt.Println(classad.Unwrap("group_juno"))
	// Output:
	// 2048 * (1 + (2 % 3)) true
	//  false
}
