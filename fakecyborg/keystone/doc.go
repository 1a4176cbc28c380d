// Package keystone lets a real Keystone tell the fake Cyborg who its callers are:
//
//	identity, err := keystone.New(ctx, "http://127.0.0.1:5000", keystone.WithCloud("cyborg"))
//	cyborg, err := fakecyborg.New(fakecyborg.WithAuthenticator(identity))
//
// [New] logs in with an account of its own, which needs the role "service" or
// "admin" in Keystone. Each token that comes is validated there, by GET
// /v3/auth/tokens, and remembered for five minutes, or until it expires: a token
// that is revoked meanwhile is still good, as it is with a real service. Requests
// with the same token that come at the same time share one validation.
//
// A token that Keystone does not know, or that has expired, makes the answer a
// 401. Beside a good service token an expired one is good for as long as Keystone
// allows. A Keystone that does not answer, or that refuses the account, makes the
// answer a 503, and the error says why in the log. When the account's own token has
// expired or was revoked it logs in again.
//
// A Nova of the same cloud wants a token with the fake's events:
// [Validator.Transport] sends them with the account's.
//
// It does what keystonemiddleware does with service_token_roles_required. It keeps
// no memcached, knows no token binding and no access rules of application
// credentials, and looks at no revocation events.
package keystone
