package lifecycle_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/novacyborg/novacyborg/lifecycle"
)

// A program that keeps its records in files finds them when it starts again, and finishes what a crash interrupted.
func ExampleNewFileStore() {
	ctx := context.Background()
	parent := must(os.MkdirTemp("", "example"))
	defer func() { _ = os.RemoveAll(parent) }()
	store := must(lifecycle.NewFileStore(filepath.Join(parent, "records")))
	defer func() { _ = store.Close() }()
	manager := newExampleCloud(ctx, lifecycle.WithStore(store)).manager
	must(manager.Create(ctx, exampleRequest("gpu")))

	for _, record := range must(store.All()) { // what a program does when it starts
		resumed := must(manager.Resume(ctx, record))
		fmt.Println(resumed.Record.Instance(), resumed.Record.State)
		fmt.Println(manager.Delete(ctx, resumed.Record))
	}
	fmt.Println(len(must(store.All())))
	// Output:
	// 0b3c2a14-6f0d-4c3e-9f57-2d1f6c1f8a11 active
	// <nil>
	// 0
}
