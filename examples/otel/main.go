// Command otel boots one instance, as examples/boot does, and prints with OpenTelemetry what the boot consists of: a
// span for the boot, one below it for each request to Placement and Cyborg, and how long the requests took. It brings its
// own Placement and its own Cyborg, in this process. It is a module of its own, so that nobody else gets its dependencies.
//
//	cd examples/otel && go run .
//
// telemetry.go is what a program of yours needs: a hook that turns each call into a span and a measurement.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "otel:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	telemetry, err := newTelemetry(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, telemetry.close(context.WithoutCancel(ctx))) }()
	cloud, err := newCloud(ctx, telemetry.hook)
	if err != nil {
		return err
	}
	defer cloud.close()
	return boot(ctx, telemetry, cloud.manager)
}

const domain = `<domain type='kvm'><name>example</name><devices></devices></domain>`

// boot builds one instance and gives everything back. Its span is the parent of those of the requests, because they are
// made with its context.
func boot(ctx context.Context, telemetry *telemetry, manager *lifecycle.Manager) (err error) {
	instance := uuid.NewString()
	ctx, span := telemetry.tracer.Start(ctx, "boot instance")
	span.SetAttributes(attribute.String("openstack.instance", instance))
	defer func() {
		if err != nil {
			span.SetStatus(codes.Error, err.Error())
		}
		span.End()
	}()
	created, err := manager.Create(ctx, lifecycle.CreateRequest{
		Consumer: placement.Consumer{UUID: instance, ProjectID: "otel-example", UserID: "otel-example"},
		Spec: requestspec.Input{Flavor: requestspec.Flavor{
			VCPUs: 2, MemoryMB: 2048, RootGB: 10, ExtraSpecs: map[string]string{"accel:device_profile": "fpga"},
		}},
		Domain: []byte(domain),
	})
	if err != nil {
		return err
	}
	return manager.Delete(context.WithoutCancel(ctx), created.Record)
}
