package keystone

import (
	"net/http"

	"github.com/gophercloud/gophercloud/v2"
)

// Transport sends requests with the account's token, as a Cyborg tells a Nova of its
// cloud of what it has bound; give it to [fakecyborg.WithNovaTransport]. When the
// token has expired or was revoked it logs in again, and retries are those of
// [WithRetries]. It mirrors cyborg/common/utils.py:get_ksa_adapter.
func (v *Validator) Transport() http.RoundTripper { return accountTransport{v.service.ProviderClient} }

type accountTransport struct{ account *gophercloud.ProviderClient }

// RoundTrip implements http.RoundTripper. The account's own transport renews the
// token.
func (t accountTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context()) // a transport leaves its requests alone
	request.Header.Set("X-Auth-Token", t.account.Token())
	return t.account.HTTPClient.Transport.RoundTrip(request)
}
