package osapi

import (
	"cmp"
	"context"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"
)

// borrow makes a provider that sends the owner's token through the owner's
// transport, and whose renewal and redirect policy are ours. The owner stays as
// it is, except for its token: a login runs through its Reauthenticate, so that
// its other users have the new token too, and a login of theirs that runs
// already is waited for.
func borrow(owner *gophercloud.ProviderClient) (*gophercloud.ProviderClient, *renewal) {
	r := &renewal{
		provider: owner,
		margin:   max(staleBefore, owner.ReauthBeforeTokenExpiration),
		next:     boundedAnswers{cmp.Or(owner.HTTPClient.Transport, http.DefaultTransport)}, //nolint:forbidigo // the owner's choice
		borrowed: true,
	}
	if owner.ReauthFunc != nil {
		r.login = func(ctx context.Context) error { return owner.Reauthenticate(ctx, owner.Token()) }
	}
	borrowed := &gophercloud.ProviderClient{
		IdentityBase:      owner.IdentityBase,
		IdentityEndpoint:  owner.IdentityEndpoint,
		EndpointLocator:   owner.EndpointLocator,
		HTTPClient:        owner.HTTPClient,
		UserAgent:         owner.UserAgent,
		RetryBackoffFunc:  owner.RetryBackoffFunc,
		MaxBackoffRetries: owner.MaxBackoffRetries,
		RetryFunc:         owner.RetryFunc,
	}
	borrowed.UseTokenLock()
	borrowed.CopyTokenFrom(owner) // so that requests have a token, which the renewal replaces by the owner's
	borrowed.HTTPClient.Transport = r
	borrowed.HTTPClient.CheckRedirect = checkRedirectFirst(owner.HTTPClient.CheckRedirect)
	return borrowed, r
}
