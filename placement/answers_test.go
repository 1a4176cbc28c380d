package placement

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// bending returns a client whose answers of success to some reads are bent on the way.
func bending(t *testing.T, server *placementtest.Server, match string, bend func(body map[string]any) (status int, bent any)) *Client {
	t.Helper()
	return newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
		full, err := server.Transport().RoundTrip(r)
		if err != nil || r.Method != http.MethodGet || full.StatusCode != http.StatusOK || !strings.Contains(r.URL.RequestURI(), match) {
			return full, err
		}
		defer full.Body.Close()
		var body map[string]any
		if err := json.NewDecoder(full.Body).Decode(&body); err != nil {
			return nil, err
		}
		status, bent := bend(body)
		return respond(r, status, bent), nil
	})))
}

// eachProvider bends one provider of a list, all of them with an empty name.
func eachProvider(name string, bend func(provider map[string]any)) func(map[string]any) (int, any) {
	return func(body map[string]any) (int, any) {
		listed, _ := body["resource_providers"].([]any)
		for _, entry := range listed {
			provider, _ := entry.(map[string]any)
			if is, _ := provider["name"].(string); strings.HasPrefix(is, name) {
				bend(provider)
			}
		}
		return http.StatusOK, body
	}
}

func set(key string, value any) func(map[string]any) {
	return func(provider map[string]any) { provider[key] = value }
}

// A list of providers that has a hole or contradicts itself is an error: nothing is forgotten, nothing is changed, and it
// ends at once.
func TestReportRefusesListsThatAreNoTree(t *testing.T) {
	t.Parallel()
	const key = "resource_providers"
	stranger := uuid.NewString()
	tests := []struct {
		name string
		bend func(map[string]any) (int, any)
		want string
	}{
		{"no key", func(map[string]any) (int, any) { return 200, map[string]any{} }, "the answer has no " + key},
		{"null", func(map[string]any) (int, any) { return 200, map[string]any{key: nil} }, "the answer has no " + key},
		{"only null", func(map[string]any) (int, any) { return 200, nil }, "the answer has no " + key},
		{"another kind", func(map[string]any) (int, any) { return 200, map[string]any{key: "x"} }, key},
		{"no object", func(map[string]any) (int, any) { return 200, []any{} }, "cannot unmarshal array"},
		{"no content", func(map[string]any) (int, any) { return 204, map[string]any{} }, "204"},
		{"several choices", func(map[string]any) (int, any) { return 300, map[string]any{} }, "300"},
		{"empty", func(map[string]any) (int, any) { return 200, map[string]any{key: []any{}} }, "exists, but the list of its tree is empty"},
		{"a hole", func(map[string]any) (int, any) { return 200, map[string]any{key: []any{nil}} }, "entry 1 of the list is no provider"},
		{"without the host", func(body map[string]any) (int, any) {
			var rest []any
			_, _ = eachProvider("gpu1", func(p map[string]any) { rest = []any{p} })(body)
			return 200, map[string]any{key: rest}
		}, "lacks"}, // this provider or that parent: which uuid is asked for first is chance
		{"without a parent in between", func(body map[string]any) (int, any) {
			var rest []any
			for _, prefix := range []string{"cn", "gpu1"} {
				_, _ = eachProvider(prefix, func(p map[string]any) { rest = append(rest, p) })(body)
			}
			return 200, map[string]any{key: rest}
		}, "lacks"},
		{"twice", func(body map[string]any) (int, any) {
			listed, _ := body[key].([]any)
			return 200, map[string]any{key: append(listed, listed...)}
		}, "comes up twice"},
		{"its own parent", func(body map[string]any) (int, any) {
			return eachProvider("gpu1", func(p map[string]any) { p["parent_provider_uuid"] = p["uuid"] })(body)
		}, "is below itself"},
		{"a parent that is not there", eachProvider("gpu1", set("parent_provider_uuid", stranger)), "has the parent " + stranger},
		{"another root", eachProvider("gpu1", set("root_provider_uuid", stranger)), "has the root " + stranger},
		{"a root below another", eachProvider("gpu1", set("parent_provider_uuid", nil)), "no provider: "},
		{"no parent", eachProvider("gpu1", func(p map[string]any) { delete(p, "parent_provider_uuid") }), "parent_provider_uuid is missing"},
		{"no name", eachProvider("gpu1", set("name", nil)), "is missing"},
		{"no uuid", eachProvider("gpu1", set("uuid", "")), "has no proper uuids"},
		{"a wrong generation", eachProvider("gpu1", set("generation", "x")), "no provider: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, err := placementtest.New()
				require.NoError(t, err)
				plain := newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(server.Transport()))
				s := newScene()
				s.Cards[1].Children = s.Cards[2:]
				s.Cards = s.Cards[:2]
				owned := s.report(t, plain)
				for _, wanted := range [][]TreeProvider{nil, s.Cards[:1]} {
					after, err := bending(t, server, "in_tree", test.bend).Report(t.Context(), s.under(wanted...), owned)
					require.ErrorContains(t, err, "report the provider tree under "+s.Host.Name)
					require.ErrorContains(t, err, test.want)
					assertOwned(t, owned, after)
				}
				assert.Equal(t, wantContent(s.Cards[1].Children[0], s.Cards[1].UUID), contentOf(t, plain, s.Cards[1].Children[0].UUID))
				assertOwned(t, nil, mustReport(t, plain, s.under(), owned))
			})
		})
	}
}

// A cycle of parents, whatever its length, ends a report at once, and so does the context.
func TestReportSurvivesACycleOfParents(t *testing.T) {
	t.Parallel()
	c, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper { return next })
	s := newScene()
	owned := s.report(t, c)
	ring := map[string]string{s.Cards[0].UUID: s.Cards[1].UUID, s.Cards[1].UUID: s.Cards[2].UUID, s.Cards[2].UUID: s.Cards[0].UUID}
	bent := bending(t, server, "in_tree", eachProvider("", func(p map[string]any) {
		id, _ := p["uuid"].(string)
		if next := ring[id]; next != "" {
			p["parent_provider_uuid"] = next
		}
	}))
	done := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() { _, err := bent.Report(ctx, s.under(s.Cards[:1]...), owned); done <- err }()
	select {
	case err := <-done:
		require.ErrorContains(t, err, "is below itself")
	case <-time.After(20 * time.Second):
		t.Fatal("the report does not end")
	}
	_, err := bent.ProvidersInTree(t.Context(), s.Host.UUID)
	require.ErrorContains(t, err, "is below itself")
}

// A filter that gets lost on the way does not make another provider of the same tree, or any, the one that was asked for.
func TestProvidersAreThoseAskedFor(t *testing.T) {
	t.Parallel()
	server, err := placementtest.New()
	require.NoError(t, err)
	plain := newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(server.Transport()))
	s := newScene()
	s.report(t, plain)
	unfiltered := newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.URL.RawQuery = ""
		return server.Transport().RoundTrip(r)
	})))
	for _, card := range s.Cards {
		found, err := unfiltered.ProviderByName(t.Context(), card.Name)
		require.NoError(t, err)
		assert.Equal(t, card.UUID, found.UUID)
	}
	_, err = unfiltered.ProviderByName(t.Context(), "no&such=é?#")
	require.ErrorIs(t, err, ErrNotFound)
	_, err = unfiltered.ProvidersInTree(t.Context(), uuid.NewString())
	require.ErrorContains(t, err, "lacks this provider")

	other := bending(t, server, "/resource_providers/", func(body map[string]any) (int, any) {
		body["uuid"], body["root_provider_uuid"], body["parent_provider_uuid"] = s.Host.UUID, s.Host.UUID, nil
		return http.StatusOK, body
	})
	_, err = other.Provider(t.Context(), s.Cards[0].UUID)
	require.ErrorContains(t, err, "the answer is not this provider: it is "+s.Host.UUID)
}

// What is asked for by any text is one part of a path.
func TestPathsAreEscaped(t *testing.T) {
	t.Parallel()
	var seen []string
	c := newClient(t, WithEndpoint("http://placement.invalid/p"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
		seen = append(seen, r.URL.RequestURI())
		return respond(r, http.StatusNotFound, map[string]any{}), nil
	})))
	pretend(t, c, "1.39")
	for _, text := range []string{"a/b", "a?b=c", "..", "a#b"} {
		_, err := c.Provider(t.Context(), text)
		require.ErrorIs(t, err, ErrNotFound)
		_, err = c.ProviderTraits(t.Context(), text)
		require.ErrorIs(t, err, ErrNotFound)
		_, err = c.Allocations(t.Context(), text)
		require.ErrorIs(t, err, ErrNotFound)
	}
	var want []string
	for _, text := range []string{"a%2Fb", "a%3Fb=c", "%2E%2E", "a%23b"} {
		want = append(want, "/p/resource_providers/"+text, "/p/resource_providers/"+text+"/traits", "/p/allocations/"+text)
	}
	assert.Equal(t, want, seen)
}

// A set of inventories or traits is written back as a whole. What an answer lacks of it is noticed, and nothing is written.
func TestReportRefusesSetsWithHoles(t *testing.T) {
	t.Parallel()
	sometimes := func(bend func(map[string]any)) func() func(map[string]any) (int, any) {
		return func() func(map[string]any) (int, any) {
			bent := false // the first answer only
			return func(body map[string]any) (int, any) {
				if !bent {
					bend(body)
				}
				bent = true
				return http.StatusOK, body
			}
		}
	}
	always := func(bend func(map[string]any)) func() func(map[string]any) (int, any) {
		return func() func(map[string]any) (int, any) {
			return func(body map[string]any) (int, any) { bend(body); return http.StatusOK, body }
		}
	}
	part := func(body map[string]any, key string) map[string]any {
		inner, _ := body[key].(map[string]any)
		return inner
	}
	inventory := func(body map[string]any) map[string]any { return part(part(body, "inventories"), "CUSTOM_NIC") }
	tests := []struct {
		name, path string
		bend       func() func(map[string]any) (int, any)
		want       string // "" when the report gets over it
	}{
		{"an inventory", "/inventories", always(func(body map[string]any) { delete(part(body, "inventories"), "CUSTOM_NIC") }), "it has usages of CUSTOM_NIC, but no inventory"},
		{"an inventory once", "/inventories", sometimes(func(body map[string]any) { body["inventories"] = map[string]any{} }), ""},
		{"a field", "/inventories", always(func(body map[string]any) { delete(inventory(body), "allocation_ratio") }), "the answer is not complete: inventory CUSTOM_NIC"},
		{"a number", "/inventories", always(func(body map[string]any) { inventory(body)["total"] = "7" }), "the answer is not complete: inventory CUSTOM_NIC"},
		{"a trait once", "/traits", sometimes(func(body map[string]any) { body["traits"] = []string{} }), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, err := placementtest.New()
				require.NoError(t, err)
				plain := newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(server.Transport()))
				s := newScene()
				owned := s.report(t, plain)
				card := s.Cards[2]
				foreign(t, plain, card.UUID, "CUSTOM_MAINTENANCE", "CUSTOM_NIC", 7)
				was := contentOf(t, plain, card.UUID)
				changed := card
				changed.Traits, changed.Inventories = []string{"CUSTOM_NEW"}, map[string]Inventory{s.GPU: {Total: 5}}

				_, err = bending(t, server, card.UUID+test.path, test.bend()).Report(t.Context(), s.under(changed), Owned{card.UUID: owned[card.UUID]})
				if test.want != "" {
					require.ErrorContains(t, err, test.want)
					assert.Equal(t, was, contentOf(t, plain, card.UUID))
					return
				}
				require.NoError(t, err)
				got := contentOf(t, plain, card.UUID)
				assert.Equal(t, []string{"CUSTOM_MAINTENANCE", "CUSTOM_NEW"}, got.Traits)
				assert.Equal(t, was.Inventories["CUSTOM_NIC"], got.Inventories["CUSTOM_NIC"])
				assert.Equal(t, 5, got.Inventories[s.GPU].Total)
			})
		})
	}
}

// A version document is looked at from both ends, and one that is none is an error of its own.
func TestOddVersions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, document, want string
		old                  bool
	}{
		{"good", `{"versions": [{"id": "v1.0", "min_version": "1.0", "max_version": "1.39"}]}`, "", false},
		{"more to come", `{"versions": [{"id": "v1.0", "min_version": "1.0", "max_version": "2.3"}]}`, "", false},
		{"too new", `{"versions": [{"id": "v1.0", "min_version": "1.38", "max_version": "1.39"}]}`, "microversion 1.29 is needed, but this placement offers only 1.38 to 1.39", true},
		{"another major", `{"versions": [{"id": "v2.0", "min_version": "2.0", "max_version": "2.5"}]}`, "offers only 2.0 to 2.5", true},
		{"none", `{"versions": [{"id": "v1.0"}]}`, "there are none", true},
		{"no minimum", `{"versions": [{"id": "v1.0", "max_version": "1.39"}]}`, "microversion", false},
		{"no number", `{"versions": [{"id": "v1.0", "min_version": "1.0", "max_version": "abc"}]}`, `"abc"`, false},
		{"a hole", `{"versions": [null]}`, "no version document", false},
		{"empty", `{"versions": []}`, "no version document", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, WithEndpoint("http://placement.invalid"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
				if strings.Trim(r.URL.Path, "/") == "" {
					return respond(r, http.StatusOK, json.RawMessage(test.document)), nil
				}
				return respond(r, http.StatusOK, map[string]any{"allocation_requests": []any{}, "provider_summaries": map[string]any{}}), nil
			})))
			_, err := c.Candidates(t.Context(), request(flavor(), devices(0, "FPGA", 1)))
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "read placement's versions")
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, test.old, errors.Is(err, ErrVersion))
		})
	}
}
