package keystone

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/internal/osapi"
)

// verdict is what Keystone says about a good token.
type verdict struct {
	caller  fakecyborg.Caller
	expires time.Time
}

// answer is the part of a token's body that matters.
type answer struct {
	Token struct {
		ExpiresAt time.Time `json:"expires_at"`
		User      struct {
			ID string `json:"id"`
		} `json:"user"`
		Project struct {
			ID string `json:"id"`
		} `json:"project"`
		Roles []struct {
			Name string `json:"name"`
		} `json:"roles"`
	} `json:"token"`
}

// ask validates a token. Errors do not show it.
// It mirrors keystonemiddleware/auth_token/_identity.py:IdentityServer.verify_token.
func (v *Validator) ask(ctx context.Context, token string, allowExpired bool) (verdict, error) {
	used := v.service.Token()
	target := v.service.ServiceURL("auth", "tokens") + "?nocatalog=1"
	if allowExpired {
		target += "&allow_expired=1"
	}
	var body answer
	response, err := v.service.Get(ctx, target, &body, &gophercloud.RequestOpts{ //nolint:bodyclose // gophercloud closes it after it has read the JSON
		MoreHeaders: map[string]string{"X-Subject-Token": token}, OkCodes: []int{http.StatusOK},
	})
	if failure, answered := osapi.FailureOf(err); answered && failure.StatusCode == http.StatusNotFound {
		return verdict{}, fakecyborg.ErrUnauthorized
	}
	if err != nil {
		err = fmt.Errorf("validate a token at %s: %w", v.address, osapi.Transparent(err))
		return verdict{}, withoutTokens(err, token, used, v.service.Token())
	}
	if body.Token.User.ID == "" || body.Token.ExpiresAt.IsZero() {
		return verdict{}, fmt.Errorf("validate a token at %s: the answer with status %d is no token", v.address, response.StatusCode)
	}
	found := verdict{expires: body.Token.ExpiresAt, caller: fakecyborg.Caller{User: body.Token.User.ID, Project: body.Token.Project.ID}}
	for _, role := range body.Token.Roles {
		found.caller.Roles = append(found.caller.Roles, role.Name)
	}
	return found, nil
}
