package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
)

// cloud is where to look, and what is known of it.
type cloud struct {
	manager *lifecycle.Manager
	known   lifecycle.Known
	close   func()
}

// open opens the services that the flags name, or makes some in this process.
func open(ctx context.Context, a arguments) (*cloud, error) {
	if a.records == "" {
		return demonstration(ctx, a.grace)
	}
	if _, err := os.Stat(a.records); err != nil { // a store would make it
		return nil, err
	}
	known, err := readKnown(a)
	if err != nil {
		return nil, err
	}
	cyborg, err := cyborgclient.New(ctx, cyborgOptions(a)...)
	if err != nil {
		return nil, err
	}
	placements, err := placement.New(ctx, placementOptions(a)...)
	if err != nil {
		return nil, err
	}
	store, err := lifecycle.NewFileStore(a.records)
	if err != nil {
		return nil, err
	}
	known.Records = store.All
	c := &cloud{known: known, close: func() { _ = store.Close() }}
	if c.manager, err = lifecycle.New(placements, cyborg, lifecycle.WithStore(store)); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func token() string { return cmp.Or(os.Getenv("OS_TOKEN"), "admin") }

func cyborgOptions(a arguments) []cyborgclient.Option {
	if a.cyborg != "" {
		opts := []cyborgclient.Option{cyborgclient.WithEndpoint(a.cyborg), cyborgclient.WithToken(token())}
		if service := os.Getenv("OS_SERVICE_TOKEN"); service != "" {
			opts = append(opts, cyborgclient.WithServiceToken(service))
		}
		return opts
	}
	opts := []cyborgclient.Option{cyborgclient.WithCloud(a.cloud)}
	if a.serviceCloud != "" {
		opts = append(opts, cyborgclient.WithServiceCloud(a.serviceCloud))
	}
	return opts
}

func placementOptions(a arguments) []placement.Option {
	if a.placement != "" {
		return []placement.Option{placement.WithEndpoint(a.placement), placement.WithToken(token())}
	}
	return []placement.Option{placement.WithCloud(a.cloud)}
}

// readKnown reads what the files tell. Without a list of instances that are gone none is known to be.
func readKnown(a arguments) (lifecycle.Known, error) {
	known := lifecycle.Known{Grace: a.grace, AllProjects: a.allProjects}
	if a.gone != "" {
		gone, err := readUUIDs(a.gone)
		if err != nil {
			return known, err
		}
		known.Gone = goneIn(gone)
	}
	if a.prepared != "" {
		var err error
		known.Prepared, err = readUUIDs(a.prepared)
		return known, err
	}
	return known, nil
}

// readUUIDs reads a file with one uuid on a line. Empty lines and those that begin with # are passed over.
func readUUIDs(name string) ([]string, error) {
	text, err := os.ReadFile(name) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	var uuids []string
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, err := uuid.Parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %q is no uuid", name, number, line)
		}
		uuids = append(uuids, id.String())
	}
	return uuids, nil
}

func goneIn(uuids []string) func(context.Context, string) (bool, error) {
	gone := map[string]bool{}
	for _, one := range uuids {
		gone[one] = true
	}
	return func(_ context.Context, instance string) (bool, error) { return gone[instance], nil }
}
