package cyborgclient_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

// reading is a call whose answer holds objects.
type reading struct {
	op   string
	key  string // of the list; "" for a single object
	call func(context.Context, *cyborgclient.Client) (any, error)
}

func readings() []reading {
	return []reading{
		{"create ARQs of device profile p", "arqs", func(ctx context.Context, c *cyborgclient.Client) (any, error) { return c.CreateARQs(ctx, "p") }},
		{"list ARQs", "arqs", func(ctx context.Context, c *cyborgclient.Client) (any, error) {
			return c.ARQs(ctx, cyborgclient.ARQFilter{})
		}},
		{"list ARQs of instance " + instance, "arqs", func(ctx context.Context, c *cyborgclient.Client) (any, error) {
			return c.ARQsByInstance(ctx, instance)
		}},
		{"get ARQ " + arq1, "", func(ctx context.Context, c *cyborgclient.Client) (any, error) { return c.ARQ(ctx, arq1) }},
		{"list device profiles", "device_profiles", func(ctx context.Context, c *cyborgclient.Client) (any, error) { return c.DeviceProfiles(ctx) }},
		{"get device profile p", "device_profiles", func(ctx context.Context, c *cyborgclient.Client) (any, error) {
			return c.DeviceProfileByName(ctx, "p")
		}},
		{"create device profile p", "", func(ctx context.Context, c *cyborgclient.Client) (any, error) {
			groups := []requestspec.ProfileGroup{requestspec.GroupOf(map[string]string{"resources:FPGA": "1"})}
			return c.CreateDeviceProfile(ctx, cyborgclient.DeviceProfileCreate{Name: "p", Groups: groups})
		}},
		{"list devices", "devices", func(ctx context.Context, c *cyborgclient.Client) (any, error) {
			return c.Devices(ctx, cyborgclient.DeviceFilter{})
		}},
		{"list deployables", "deployables", func(ctx context.Context, c *cyborgclient.Client) (any, error) {
			return c.Deployables(ctx, cyborgclient.DeployableFilter{})
		}},
	}
}

// An object without a uuid never reaches the caller: a request with an empty
// uuid in it could mean everything.
func TestAnswersWithoutTheirContent(t *testing.T) {
	t.Parallel()
	objects := []string{`null`, `{}`, `{"uuid": null}`, `{"uuid": ""}`, `{"uuid": "abc"}`, `{"uuid": 1}`, `"x"`, `[]`}
	whole := []string{``, `null`, `[]`, `1`, `<html>`, `{"`, `{}`}
	for _, r := range readings() {
		answers := append([]string(nil), whole...)
		if r.key == "" {
			answers = append(answers, objects...)
		} else {
			for _, object := range objects {
				answers = append(answers, `{"KEY": [`+object+`]}`, `{"KEY": [{"uuid": "`+arq1+`", "name": "p"}, `+object+`]}`)
			}
			answers = append(answers, `{"KEY": null}`, `{"KEY": {}}`, `{"KEY": "x"}`)
		}
		for _, answer := range answers {
			answer = strings.ReplaceAll(answer, "KEY", r.key)
			t.Run(r.op+" "+answer, func(t *testing.T) {
				t.Parallel()
				client, _ := newClient(t, func(w http.ResponseWriter, req *http.Request) {
					if strings.HasSuffix(req.URL.Path, "/v2/") {
						respond(http.StatusOK, v2Document)(w, req)
						return
					}
					status := http.StatusOK
					if req.Method == http.MethodPost {
						status = http.StatusCreated
					}
					respond(status, answer)(w, req)
				})
				got, err := r.call(t.Context(), client)
				assert.Empty(t, got)
				require.ErrorIs(t, err, cyborgclient.ErrInvalidAnswer)
				var failure *cyborgclient.Error
				require.ErrorAs(t, err, &failure)
				assert.Equal(t, r.op, failure.Op)
				assert.False(t, failure.Refused(), "something may have been done")
			})
		}
	}
}

// A page of success from something on the way does not pass for a thing done.
func TestSuccessOfSomebodyElse(t *testing.T) {
	t.Parallel()
	calls := map[string]func(context.Context, *cyborgclient.Client) error{
		"bind":   bindOne,
		"unbind": func(ctx context.Context, c *cyborgclient.Client) error { return c.Unbind(ctx, arq1) },
		"create": createARQs,
		"delete": func(ctx context.Context, c *cyborgclient.Client) error {
			_, err := c.DeleteARQs(ctx, arq1)
			return err
		},
		"delete of an instance": deleteARQs,
		"delete of a profile":   func(ctx context.Context, c *cyborgclient.Client) error { return c.DeleteDeviceProfile(ctx, "p") },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, _ := newClient(t, respond(http.StatusOK, `{"arqs": [{"uuid": "`+arq1+`"}]}`))
			err := call(t.Context(), client)
			require.ErrorIs(t, err, cyborgclient.ErrInvalidAnswer)
			var failure *cyborgclient.Error
			require.ErrorAs(t, err, &failure)
			assert.False(t, failure.Refused())
		})
	}
}
