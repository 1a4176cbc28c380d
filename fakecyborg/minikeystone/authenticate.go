package minikeystone

import (
	"net/http"
	"strings"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// Authenticate knows a caller of Cyborg by the token. With a good service token
// an expired one is good too, for as long as Keystone allows it.
// It mirrors keystonemiddleware/auth_token/__init__.py:BaseAuthProtocol.process_request
// with service_token_roles_required.
func (s *Server) Authenticate(request *http.Request) (fakecyborg.Caller, error) {
	serviceToken := strings.TrimSpace(request.Header.Get("X-Service-Token"))
	if serviceToken != "" {
		service := s.findToken(serviceToken, false)
		if service == nil || !service.has("service") {
			return fakecyborg.Caller{}, fakecyborg.ErrUnauthorized
		}
	}
	found := s.findToken(strings.TrimSpace(request.Header.Get("X-Auth-Token")), serviceToken != "")
	if found == nil {
		return fakecyborg.Caller{}, fakecyborg.ErrUnauthorized
	}
	caller := fakecyborg.Caller{User: found.user.ID, Service: serviceToken != ""}
	if where := found.project(); where != nil {
		caller.Project = where.ID
	}
	if found.scope != nil {
		caller.Roles = found.scope.roles
	}
	return caller, nil
}

// KeystoneURL is where a client that sent the request finds this server.
func (s *Server) KeystoneURL(request *http.Request) string { return s.base(request) + prefix }

// base is the address that documents name to the sender of the request.
func (s *Server) base(request *http.Request) string {
	if s.url != "" {
		return s.url
	}
	scheme := "http://"
	if request.TLS != nil || request.URL.Scheme == "https" {
		scheme = "https://"
	}
	host := request.Host
	if host == "" {
		host = request.URL.Host
	}
	return scheme + host
}
