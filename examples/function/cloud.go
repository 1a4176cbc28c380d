package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/virtdriver"
)

//go:embed seed.yaml
var seed []byte

// cloud is a Placement and a Cyborg in this process, and what talks to them.
type cloud struct {
	out       io.Writer
	fake      *fakecyborg.Server
	careful   bool
	cyborg    *cyborgclient.Client
	manager   *lifecycle.Manager
	placement http.RoundTripper
	close     func()
}

func newCloud(ctx context.Context, out io.Writer, careful bool) (*cloud, error) {
	server, err := placementtest.New()
	if err != nil {
		return nil, err
	}
	c := &cloud{out: out, careful: careful, placement: server.Transport()}
	client, err := placement.New(ctx, placement.WithEndpoint("http://placement.localhost"), placement.WithToken("admin"), placement.WithTransport(c.placement))
	if err != nil {
		return nil, err
	}
	events := make(chan fakecyborg.Event, 16)
	opts := []fakecyborg.Option{fakecyborg.WithSeedYAML("seed.yaml", seed), fakecyborg.WithPlacement(client), fakecyborg.WithEvents(events)}
	if careful {
		opts = append(opts, fakecyborg.WithCarefulReports())
	}
	if c.fake, err = fakecyborg.New(opts...); err != nil {
		return nil, err
	}
	if err := c.fake.Report(ctx); err != nil {
		return nil, err
	}
	if c.cyborg, err = cyborgclient.New(ctx, cyborgclient.WithEndpoint("http://cyborg.localhost/v2"), cyborgclient.WithTransport(c.fake.Transport())); err != nil {
		return nil, err
	}
	return c, c.manage(client, events)
}

// manage makes the manager, which hears of Cyborg's events.
func (c *cloud) manage(client *placement.Client, events <-chan fakecyborg.Event) error {
	receiver, err := virtdriver.NewReceiver()
	if err != nil {
		return err
	}
	done := make(chan struct{})
	c.close = func() {
		close(done)
		c.fake.Close()
	}
	go func() {
		for {
			select {
			case event := <-events:
				fmt.Fprintf(c.out, "  event    %s %s\n", event.Name, event.Status)
				receiver.Deliver(virtdriver.Event(event))
			case <-done:
				return
			}
		}
	}()
	c.manager, err = lifecycle.New(client, c.cyborg, lifecycle.WithObserver(c.step), lifecycle.WithWaiter(virtdriver.WithReceiver(receiver)))
	return err
}

// show prints what Cyborg and Placement know of the device.
func (c *cloud) show(ctx context.Context, when string) error {
	deployables, err := c.cyborg.Deployables(ctx, cyborgclient.DeployableFilter{})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "\n%s\n", when)
	for _, part := range deployables {
		traits, err := c.traits(ctx, part.RPUUID)
		if err != nil {
			return err
		}
		attributes, err := part.Attributes()
		if err != nil {
			return err
		}
		var functions []string
		for _, attribute := range attributes {
			if strings.HasPrefix(attribute.Value, functionTrait) {
				functions = append(functions, attribute.Value)
			}
		}
		fmt.Fprintf(c.out, "  %s\n    bitstream   %s\n    attributes  %s\n    Placement   %s\n", part.Name, orNone(part.BitstreamID), orNone(strings.Join(functions, " ")), orNone(strings.Join(traits, " ")))
	}
	return nil
}

// functionTrait starts the traits that name the function of an FPGA.
const functionTrait = "CUSTOM_FPGA_FUNCTION_ID"

// traits are those of a provider that name a function.
func (c *cloud) traits(ctx context.Context, provider string) ([]string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://placement.localhost/resource_providers/"+provider+"/traits", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-Auth-Token", "admin")
	request.Header.Set("OpenStack-API-Version", "placement 1.6")
	response, err := (&http.Client{Transport: c.placement}).Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct{ Traits []string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	slices.Sort(answer.Traits)
	return slices.DeleteFunc(answer.Traits, func(trait string) bool { return !strings.HasPrefix(trait, functionTrait) }), nil
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
