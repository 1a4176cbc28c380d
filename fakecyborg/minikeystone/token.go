package minikeystone

import (
	"crypto/rand"
	"encoding/base64"
	"slices"
	"sync"
	"time"
)

const (
	// maxTokens is how many tokens are remembered; the oldest is forgotten first.
	maxTokens = 100_000
	// expiredWindow is how long after its end a token is still good for a service
	// that goes on with a user's request. It mirrors [token] allow_expired_window.
	expiredWindow = 48 * time.Hour
)

// token is what a token stands for. It does not change.
type token struct {
	user *user
	// scope is nil for a token without one.
	scope      *assignment
	credential *credential
	methods    []string
	audit      string
	// issued and expires are zero for a fixed token, which does not end.
	issued, expires time.Time
}

// fixed says that the token is one of the file.
func (t *token) fixed() bool { return t.expires.IsZero() }

// good says whether the token is good at that time; expired ones are for a while,
// if they are allowed.
func (t *token) good(now time.Time, allowExpired bool) bool {
	end := t.expires
	if allowExpired {
		end = end.Add(expiredWindow)
	}
	return t.fixed() || now.Before(end)
}

// has says whether the token brings one of the roles.
func (t *token) has(roles ...string) bool {
	return t.scope != nil && slices.ContainsFunc(roles, func(role string) bool { return slices.Contains(t.scope.roles, role) })
}

// project is the project of the token, nil for none.
func (t *token) project() *project {
	if t.scope == nil {
		return nil
	}
	return t.scope.project
}

// tokenStore remembers the tokens that were given out.
type tokenStore struct {
	mu   sync.RWMutex
	byID map[string]*token
	// order are the ids as they were given out, revoked ones included.
	order []string
	limit int
}

// add gives a token its id.
func (s *tokenStore) add(t *token) string {
	id := "gAAAAA" + randomText(66)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[id] = t
	s.order = append(s.order, id)
	if len(s.order) > s.limit {
		delete(s.byID, s.order[0])
		s.order = s.order[1:]
	}
	return id
}

func (s *tokenStore) find(id string) *token {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byID[id]
}

func (s *tokenStore) revoke(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, id)
}

// findToken is the token of that id, nil for none that is good.
func (s *Server) findToken(id string, allowExpired bool) *token {
	found := s.directory.fixed[id]
	if found == nil {
		found = s.tokens.find(id)
	}
	if found == nil || !found.good(s.time(), allowExpired) {
		return nil
	}
	return found
}

// Revoke makes a token invalid, as DELETE /v3/auth/tokens does. Fixed ones stay.
func (s *Server) Revoke(id string) { s.tokens.revoke(id) }

// RevokeAll makes all tokens that were given out invalid, so that tests see
// clients log in anew.
func (s *Server) RevokeAll() {
	s.tokens.mu.Lock()
	defer s.tokens.mu.Unlock()
	clear(s.tokens.byID)
	s.tokens.order = nil
}

func newAuditID() string { return randomText(16) }

// randomText is that many random bytes as text.
func randomText(size int) string {
	random := make([]byte, size)
	_, _ = rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}
