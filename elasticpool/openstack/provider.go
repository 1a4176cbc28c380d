package openstack

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/internal/osapi"
	"github.com/novacyborg/novacyborg/placement"
)

// Provider is one project of one OpenStack. It may be used by many goroutines.
type Provider struct {
	name     string
	settings Settings
	log      *slog.Logger

	compute *gophercloud.ServiceClient
	// The rest is nil where the cloud has no such service.
	images    *gophercloud.ServiceClient
	network   *gophercloud.ServiceClient
	volumes   *gophercloud.ServiceClient
	cyborg    *cyborgclient.Client
	placement *placement.Client

	flavorIDs  cache[flavor]
	imageIDs   cache[string]
	networkIDs cache[string]
	profiles   cache[elasticpool.Resources]

	memory memory
}

var _ elasticpool.Provider = (*Provider)(nil)

// String names the cloud. The provider prints so for every verb of fmt, and never its token.
func (p *Provider) String() string { return "openstack cloud " + p.name }

// GoString is String.
func (p *Provider) GoString() string { return p.String() }

// LogValue is what a structured log shows: String.
func (p *Provider) LogValue() slog.Value { return slog.StringValue(p.String()) }

// New logs in to the cloud and finds its services. Name is what the pool calls the cloud; it is part of error texts.
// The compute service must be there. Without the image, network, block-storage, accelerator or placement service the
// provider does what can be done without it: ids instead of names, no clean-up there, no limits from there.
//
// The options are those of packages cyborgclient and placement. No request is sent to a service but the login's.
func New(ctx context.Context, name string, settings Settings, opts ...Option) (*Provider, error) {
	op := "connect to cloud " + name
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, &elasticpool.CloudError{Op: op, Class: elasticpool.ErrInvalid, Detail: err.Error(), Err: err}
	}
	p := &Provider{name: name, settings: settings, log: settings.Logger.With("cloud", name)}
	age := settings.NamesAge.D()
	p.flavorIDs.age, p.imageIDs.age, p.networkIDs.age, p.profiles.age = age, age, age, age
	if err := p.connect(ctx, opts); err != nil {
		return nil, classify(op, err)
	}
	return p, nil
}

// op names what is done, for error texts.
func (p *Provider) op(format string, args ...any) string {
	return fmt.Sprintf(format, args...) + " in cloud " + p.name
}

// Option sets one thing of the login; see package cyborgclient.
type Option = osapi.Option
