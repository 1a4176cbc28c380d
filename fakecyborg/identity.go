package fakecyborg

import (
	"net/http"
	"strings"
	"time"
)

// An IdentityService is an [Authenticator] at which clients also log in, as at
// that of package minikeystone: the server serves it below its own path.
type IdentityService interface {
	Authenticator
	http.Handler
	// Prefix is the path below which its requests are, such as "/identity".
	Prefix() string
	// SetClock tells it the server's clock, by which its tokens expire.
	SetClock(now func() time.Time)
}

// serveIdentity answers a request that is for the identity service. It is in no
// journal, and no fault hits it.
func (s *Server) serveIdentity(w http.ResponseWriter, request *http.Request) bool {
	service, ok := s.authenticator.(IdentityService)
	if !ok {
		return false
	}
	below, found := strings.CutPrefix(request.URL.Path, service.Prefix())
	if !found || (below != "" && below[0] != '/') {
		return false
	}
	service.ServeHTTP(w, request)
	return true
}
