package main

import (
	"cmp"
	"context"
	"os"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/virtdriver/pciowner"
)

// ask adds what the services show.
func ask(ctx context.Context, a arguments, in *pciowner.Input) error {
	if a.cloud+a.cyborg != "" {
		if err := askCyborg(ctx, a, in); err != nil {
			return err
		}
	}
	if a.cloud+a.placement != "" {
		return askPlacement(ctx, a, in)
	}
	return nil
}

func token() string { return cmp.Or(os.Getenv("OS_TOKEN"), "admin") }

func askCyborg(ctx context.Context, a arguments, in *pciowner.Input) error {
	opts := []cyborgclient.Option{cyborgclient.WithCloud(a.cloud)}
	if a.cyborg != "" {
		opts = []cyborgclient.Option{cyborgclient.WithEndpoint(a.cyborg), cyborgclient.WithToken(token())}
	}
	client, err := cyborgclient.New(ctx, opts...)
	if err != nil {
		return err
	}
	if in.Deployables, err = client.Deployables(ctx, cyborgclient.DeployableFilter{}); err != nil {
		return err
	}
	in.ARQs, err = client.ARQs(ctx, cyborgclient.ARQFilter{})
	return err
}

func askPlacement(ctx context.Context, a arguments, in *pciowner.Input) error {
	opts := []placement.Option{placement.WithCloud(a.cloud)}
	if a.placement != "" {
		opts = []placement.Option{placement.WithEndpoint(a.placement), placement.WithToken(token())}
	}
	client, err := placement.New(ctx, opts...)
	if err != nil {
		return err
	}
	root, err := client.ProviderByName(ctx, a.host)
	if err != nil {
		return err
	}
	tree, err := client.ProvidersInTree(ctx, root.UUID)
	if err != nil {
		return err
	}
	for _, provider := range tree {
		traits, err := client.ProviderTraits(ctx, provider.UUID)
		if err != nil {
			return err
		}
		in.Providers = append(in.Providers, pciowner.Provider{UUID: provider.UUID, Name: provider.Name, Traits: traits})
	}
	return nil
}
