package main

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

// instance is one instance with its record.
type instance struct {
	telemetry *telemetry
	uuid      string
	record    lifecycle.Record
}

// live builds an instance, moves it to the other host, reboots it and gives everything back.
func live(ctx context.Context, telemetry *telemetry, manager *lifecycle.Manager) (err error) {
	i := &instance{telemetry: telemetry, uuid: uuid.NewString()}
	err = i.operate(ctx, lifecycle.OpCreate, func(ctx context.Context) (*lifecycle.Result, error) {
		return manager.Create(ctx, request(i.uuid))
	})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, i.operate(context.WithoutCancel(ctx), lifecycle.OpDelete, func(ctx context.Context) (*lifecycle.Result, error) {
			return &lifecycle.Result{}, manager.Delete(ctx, i.record)
		}))
	}()
	err = i.operate(ctx, lifecycle.OpLiveMigrate, func(ctx context.Context) (*lifecycle.Result, error) {
		return manager.LiveMigrate(ctx, i.record, lifecycle.MoveRequest{})
	})
	if err != nil {
		return err
	}
	return i.operate(ctx, lifecycle.OpHardReboot, func(ctx context.Context) (*lifecycle.Result, error) {
		return manager.HardReboot(ctx, i.record)
	})
}

// operate runs an operation in its span, and keeps the record that it leaves, which a failed one tells too.
func (i *instance) operate(ctx context.Context, op lifecycle.Op, do func(context.Context) (*lifecycle.Result, error)) error {
	return i.telemetry.operation(ctx, op, i.uuid, func(ctx context.Context) error {
		result, err := do(ctx)
		if failed, ok := errors.AsType[*lifecycle.Error](err); ok {
			i.record = failed.Record
		} else if err == nil {
			i.record = result.Record
		}
		return err
	})
}

func request(instance string) lifecycle.CreateRequest {
	return lifecycle.CreateRequest{
		Consumer: placement.Consumer{UUID: instance, ProjectID: "otel-example", UserID: "otel-example"},
		Spec: requestspec.Input{Flavor: requestspec.Flavor{
			VCPUs: 2, MemoryMB: 2048, RootGB: 10, ExtraSpecs: map[string]string{"accel:device_profile": "fpga"},
		}},
		Domain: []byte(`<domain type='kvm'><name>example</name><devices></devices></domain>`),
	}
}
