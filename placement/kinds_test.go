package placement

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// What does not exist is ErrNotFound, however Placement words its 400.
func TestUnknownNamesAreNotFound(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		class, trait := "CUSTOM_NO_CLASS_"+s.Tag, "CUSTOM_NO_TRAIT_"+s.Tag
		ask := func(change func(r *requestspec.Request)) func() error {
			return func() error {
				req := request(flavor(), devices(0, s.FPGA, 1))
				change(req)
				_, err := c.Candidates(t.Context(), req)
				return err
			}
		}
		claim := func(provider, class string) func() error {
			return func() error {
				taken, err := c.Claim(t.Context(), newConsumer(), Candidate{Allocations: map[string]map[string]int64{provider: {class: 1}}})
				assert.Equal(t, Claim{}, taken)
				return err
			}
		}
		report := func(change func(p *TreeProvider)) func() error {
			return func() error {
				card := TreeProvider{UUID: uuid.NewString(), Name: "card-" + uuid.NewString()}
				change(&card)
				_, err := c.Report(t.Context(), s.under(card), nil)
				return err
			}
		}
		tests := []struct {
			name string
			call func() error
		}{
			{"candidates of a class", ask(func(r *requestspec.Request) { r.Groups[1].Resources = map[string]int64{class: 1} })},
			{"candidates with a trait", ask(func(r *requestspec.Request) { r.Groups[1].Required = []string{trait} })},
			{"candidates with a trait of the root", ask(func(r *requestspec.Request) { r.RootRequired = []string{trait} })},
			{"claim of a provider", claim(uuid.NewString(), s.FPGA)},
			{"claim of a class", claim(s.Cards[0].UUID, class)},
			{"report of a class", report(func(p *TreeProvider) { p.Inventories = map[string]Inventory{"NO_CLASS": {Total: 1}} })},
			{"report of a trait", report(func(p *TreeProvider) { p.Traits = []string{"HW_NO_TRAIT"} })},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				err := test.call()
				require.ErrorIs(t, err, ErrNotFound)
				assert.ErrorContains(t, err, "400 ")
			})
		}
	})
}

// offline is a client that must not send anything.
func offline(t *testing.T) *Client {
	t.Helper()
	return newClient(t, WithEndpoint("http://placement.invalid"), WithToken("admin"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
		t.Errorf("%s %s was sent", r.Method, r.URL)
		return nil, errNotAsked
	})))
}

func TestInvalidArgumentsAreRefusedBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	good := Candidate{Allocations: map[string]map[string]int64{uuid.NewString(): {"FPGA": 1}}}
	held := Claim{Consumer: newConsumer(), Generation: 1, Allocations: good.Allocations}
	claim := func(change func(*Consumer), candidate Candidate) func(*Client) error {
		consumer := newConsumer()
		change(&consumer)
		return func(c *Client) error {
			taken, err := c.Claim(t.Context(), consumer, candidate)
			assert.Equal(t, Claim{}, taken)
			return err
		}
	}
	tests := []struct {
		name string
		call func(*Client) error
		want string
	}{
		{"no uuid", claim(func(c *Consumer) { c.UUID = "" }, good), `the consumer's uuid "" is not`},
		{"a name for a uuid", claim(func(c *Consumer) { c.UUID = "instance1" }, good), `the consumer's uuid "instance1" is not`},
		{"a capital uuid", claim(func(c *Consumer) { c.UUID = strings.ToUpper(c.UUID) }, good), "dashed lower-case form"},
		{"no project", claim(func(c *Consumer) { c.ProjectID = "" }, good), "the consumer's project id must have"},
		{"a long user", claim(func(c *Consumer) { c.UserID = strings.Repeat("u", 256) }, good), "the consumer's user id must have"},
		{"nothing to claim", claim(func(*Consumer) {}, Candidate{}), "the candidate is empty"},
		{"nothing to move to", func(c *Client) error { _, err := c.Move(t.Context(), held, Candidate{}); return err }, "the candidate is empty"},
		{"more dropped than held", func(c *Client) error {
			_, err := c.Drop(t.Context(), held, map[string]map[string]int64{"other": {"FPGA": 1}})
			return err
		}, "is not a part of the claim"},
		{"candidates of nothing", func(c *Client) error { _, err := c.Candidates(t.Context(), nil); return err }, "the request is nil"},
		{"nothing to explain", func(c *Client) error { _, err := c.Explain(t.Context(), nil); return err }, "the request is nil"},
		{"limits of nothing", func(c *Client) error { return c.CheckLimits(t.Context(), FixedLimits{}, "p", nil) }, "the request is nil"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := test.call(offline(t))
			require.ErrorIs(t, err, ErrInvalid)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestReportToAnOldServerIsRefusedBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	c := offline(t)
	pretend(t, c, "1.28")
	for _, tree := range []Tree{{Providers: []TreeProvider{newScene().Host}}, {Parent: "host", Providers: newScene().Cards}} {
		_, err := c.Report(t.Context(), tree, nil)
		require.ErrorIs(t, err, ErrVersion)
		require.ErrorContains(t, err, "needs microversion 1.29, but this placement offers only up to 1.28")
	}
}
