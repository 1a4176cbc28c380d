package main

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

// boot builds one instance, reports what happened, and gives everything back.
func boot(ctx context.Context, w *world, in input, report *report) (err error) {
	if in.profile != nil {
		made, err := ensureProfile(ctx, w.cyborg, *in.profile)
		if err != nil {
			return err
		}
		if made {
			defer func() {
				err = errors.Join(err, w.cyborg.DeleteDeviceProfile(context.WithoutCancel(ctx), in.profile.Name))
			}()
		}
	}
	created, err := w.manager.Create(ctx, lifecycle.CreateRequest{
		Consumer: placement.Consumer{UUID: uuid.NewString(), ProjectID: "boot-example", UserID: "boot-example"},
		Spec:     requestspec.Input{Flavor: in.flavor},
		Domain:   in.domain,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.manager.Delete(context.WithoutCancel(ctx), created.Record)) }()
	providers, err := providerNames(ctx, w.placement, created)
	if err != nil {
		return err
	}
	return report.print(created, providers)
}

// providerNames asks Placement for the name of the provider that serves each group.
func providerNames(ctx context.Context, client *placement.Client, created *lifecycle.Result) (map[string]string, error) {
	names := make(map[string]string)
	for _, id := range created.Request.RequesterIDs() {
		uuid, err := created.Candidate.Provider(id)
		if err != nil {
			return nil, err
		}
		provider, err := client.Provider(ctx, uuid)
		if err != nil {
			return nil, err
		}
		names[id] = provider.Name
	}
	return names, nil
}
