package lifecycle_test

import (
	"context"
	"fmt"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
)

// An ARQ is left that nobody bound. A program with a FileStore gives its All as Records.
func ExampleManager_Reconcile() {
	ctx := context.Background()
	cloud := newExampleCloud(ctx)
	cyborg := must(cyborgclient.New(ctx, cyborgclient.WithEndpoint("http://cyborg.localhost/v2"), cyborgclient.WithTransport(cloud.cyborg)))
	must(cyborg.CreateARQs(ctx, "gpu"))

	known := lifecycle.Known{
		Records: func() ([]lifecycle.Record, error) { return nil, nil },
		Grace:   time.Nanosecond, // for the example; the default is ten minutes
	}
	plan := must(cloud.manager.Reconcile(ctx, known))
	for _, finding := range plan.Findings {
		fmt.Println(finding.Kind, "-", finding.Repair)
	}
	for _, done := range must(cloud.manager.Repair(ctx, known, plan)) {
		fmt.Println(done.Err)
	}
	fmt.Println(len(must(cloud.manager.Reconcile(ctx, known)).Findings))
	// Output:
	// stray - delete it
	// <nil>
	// 0
}
