package console

import (
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// gate returns 0 for a request that may command, or the status and the reason of its refusal.
type gate func(r *http.Request) (int, string)

// trusted lets everybody command: whoever could open the socket.
func trusted(*http.Request) (int, string) { return 0, "" }

// tokenGate lets those command that know the token. It compares hashes, so that neither content nor length of the token
// shows in the time that it takes.
func (c *Console) tokenGate(r *http.Request) (int, string) {
	if c.token == nil {
		return http.StatusForbidden, "commands are refused here: no token is configured; use the control socket"
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], c.token[:]) != 1 {
		return http.StatusUnauthorized, "this token may not command"
	}
	return 0, ""
}

// fromElsewhere says why a request may be one that another site makes a browser send, or nothing. A form is never JSON,
// and a script of another site is named as the origin.
func fromElsewhere(r *http.Request) (int, string) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return http.StatusUnsupportedMediaType, "a command is application/json"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
			return http.StatusForbidden, "commands of other sites are refused"
		}
	}
	return 0, ""
}

// loopbackOnly answers only requests that name the loopback address.
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLoopback(r.Host) {
			problem(w, http.StatusMisdirectedRequest, "this console answers only as localhost")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isLoopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}
