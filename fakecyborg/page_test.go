package fakecyborg_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// The page is for browsers alone, takes what it needs from the fake itself, and asks nobody else.
func TestPage(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	page := c.call(t, http.MethodGet, "/_fake/", "", "Accept", "text/html,application/xhtml+xml")
	require.Equal(t, http.StatusOK, page.status)
	assert.Equal(t, "text/html; charset=utf-8", page.header.Get("Content-Type"))
	assert.Contains(t, page.body, "<strong>2026.2</strong> (17.0.0)")
	for _, match := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page.body, -1) {
		if match[1] == "data:," {
			continue
		}
		found := c.call(t, http.MethodGet, "/_fake/"+match[1], "")
		assert.Equal(t, http.StatusOK, found.status, match[1])
		assert.NotRegexp(t, `https?://`, found.body, "%s names another place", match[1])
	}
	assert.NotRegexp(t, `https?://`, page.body)

	other := c.call(t, http.MethodGet, "/_fake/", "", "Accept", "*/*")
	assert.Equal(t, http.StatusNotFound, other.status, "programs are told the routes")
	assert.Contains(t, other.body, "GET /_fake/arqs")
	refused := c.call(t, http.MethodPost, "/_fake/", "", "Accept", "text/html")
	assert.Equal(t, http.StatusMethodNotAllowed, refused.status)
	assert.Equal(t, 0, strings.Count(c.call(t, http.MethodGet, "/_fake/journal", "").body, "\n"), "looking leaves no trace")
}

func TestARQsOfTheControlAPI(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	first := c.makeARQs(t, "one-fpga")[0].UUID
	made := c.call(t, http.MethodPost, "/v2/accelerator_requests", `{"device_profile_name": "three-fpga"}`, "X-Fake-Scope", "mine").arqs(t)
	require.Equal(t, http.StatusAccepted, c.bind(t, binding{first, "rack1", driver.ProviderUUID(fakeName), instanceA}).status)
	type control struct {
		UUID     string  `json:"uuid"`
		State    string  `json:"state"`
		Instance *string `json:"instance_uuid"`
		Handle   string  `json:"attach_handle_type"`
		Scope    string  `json:"scope"`
	}
	for _, test := range []struct {
		name, query string
		want        []string
		total       int
	}{
		{"all, newest first", "", []string{made[2].UUID, made[1].UUID, made[0].UUID, first}, 4},
		{"the last", "?last=1", []string{made[2].UUID}, 4},
		{"none", "?last=0", []string{}, 4},
		{"of a scope", "?scope=mine", []string{made[2].UUID, made[1].UUID, made[0].UUID}, 3},
		{"the last of a scope", "?scope=mine&last=2", []string{made[2].UUID, made[1].UUID}, 3},
		{"of a scope that is none", "?scope=none", []string{}, 0},
	} {
		var list struct {
			ARQs  []control `json:"arqs"`
			Total int       `json:"total"`
		}
		answer := c.call(t, http.MethodGet, "/_fake/arqs"+test.query, "")
		require.Equal(t, http.StatusOK, answer.status, answer.body)
		decodeInto(t, answer.body, &list)
		got := []string{}
		for _, a := range list.ARQs {
			got = append(got, a.UUID)
		}
		assert.Equal(t, test.want, got, test.name)
		assert.Equal(t, test.total, list.Total, test.name)
		if test.query == "" {
			bound := list.ARQs[3]
			assert.Equal(t, fmt.Sprint("Bound ", instanceA, " TEST_PCI"), fmt.Sprint(bound.State, " ", *bound.Instance, " ", bound.Handle))
		}
	}
	assert.Equal(t, http.StatusBadRequest, c.call(t, http.MethodGet, "/_fake/arqs?last=x", "").status)
}
