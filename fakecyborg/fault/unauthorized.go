package fault

import "net/http"

// Unauthorized is the 401 of a token that is not, or no longer, valid. With
// First: 1 it makes a client fetch a new token once.
type Unauthorized struct{}

// Kind is "unauthorized".
func (Unauthorized) Kind() string { return "unauthorized" }

// Check finds nothing wrong.
func (Unauthorized) Check() error { return nil }

// Meet refuses the token.
func (Unauthorized) Meet(x Exchange) Reply {
	return x.Refuse(http.StatusUnauthorized, Keystone, "The request you have made requires authentication.")
}
