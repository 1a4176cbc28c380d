package functional_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

const profilesPath = "/v2/device_profiles"

// tempestProfiles are tests/api/test_device_profile.py and test_device_profile_negative.py.
var tempestProfiles = []tempestCase{
	{name: "profile create", run: func(t *testing.T, c tempest) {
		created := c.call(t, "POST", profilesPath, profileBody("afaas-example", "FPGA")).want(t, http.StatusCreated).object(t)
		assert.Equal(t, "afaas-example", created["name"])
	}},
	{name: "profile delete multiple", run: func(t *testing.T, c tempest) {
		c.profile(t, "first", "FPGA")
		c.profile(t, "second", "FPGA")
		third := c.profile(t, "third", "FPGA")
		c.call(t, "DELETE", profilesPath+"?value=first,second", "").want(t, http.StatusNoContent)
		assert.Equal(t, []string{third}, texts(t, c.call(t, "GET", profilesPath, "").want(t, http.StatusOK).list(t, "device_profiles"), "uuid"))
	}},
	{name: "profile get and delete", run: profileGetAndDelete},
	{name: "profile delete by name", run: func(t *testing.T, c tempest) {
		c.profile(t, "by-name", "FPGA")
		c.call(t, "DELETE", profilesPath+"/by-name", "").want(t, http.StatusNoContent)
		assert.Empty(t, c.call(t, "GET", profilesPath, "").want(t, http.StatusOK).list(t, "device_profiles"))
	}},
	{name: "profile negative show unknown", run: func(t *testing.T, c tempest) {
		c.call(t, "GET", profilesPath+"/"+unknown(), "").want(t, http.StatusNotFound)
	}},
	{name: "profile negative delete unknown", run: func(t *testing.T, c tempest) {
		c.call(t, "DELETE", profilesPath+"/"+unknown(), "").want(t, http.StatusNotFound)
	}},
	{name: "profile negative delete unknown names", run: func(t *testing.T, c tempest) {
		c.call(t, "DELETE", profilesPath+"?value=no-such-one,nor-this", "").want(t, http.StatusNotFound)
	}},
	{name: "profile negative delete empty name", run: func(t *testing.T, c tempest) {
		c.call(t, "DELETE", profilesPath+"/", "").want(t, http.StatusBadRequest)
	}},
	{name: "profile negative existing uuid", run: func(t *testing.T, c tempest) {
		body := fmt.Sprintf(`[{"name": "other", "groups": [{"resources:FPGA": "1"}], "uuid": %q}]`, c.profile(t, "one", "FPGA"))
		c.call(t, "POST", profilesPath, body).want(t, http.StatusInternalServerError)
	}},
	{name: "profile negative same name", has: func(r fakecyborg.Release) bool { return r.DuplicateName }, run: func(t *testing.T, c tempest) {
		c.profile(t, "same", "FPGA")
		c.call(t, "POST", profilesPath, profileBody("same", "FPGA")).want(t, http.StatusConflict)
	}},
	{name: "profile negative empty name", run: func(t *testing.T, c tempest) {
		c.call(t, "POST", profilesPath, profileBody("", "FPGA")).want(t, http.StatusInternalServerError)
	}},
	{name: "profile negative long name", run: func(t *testing.T, c tempest) {
		c.call(t, "POST", profilesPath, profileBody(strings.Repeat("n", 256), "FPGA")).want(t, http.StatusInternalServerError)
		c.call(t, "POST", profilesPath, profileBody(strings.Repeat("n", 255), "FPGA")).want(t, http.StatusCreated)
	}},
}

func profileGetAndDelete(t *testing.T, c tempest) {
	created := c.call(t, "POST", profilesPath, profileBody("get-and-delete", "FPGA")).want(t, http.StatusCreated).object(t)
	assert.Equal(t, "get-and-delete", created["name"])
	if c.release.ProfileDescription {
		assert.Equal(t, "of a test", created["description"])
	}
	assert.Equal(t, []any{map[string]any{"resources:FPGA": "1"}}, created["groups"])
	id := text(t, created, "uuid")
	assert.Contains(t, texts(t, c.call(t, "GET", profilesPath, "").want(t, http.StatusOK).list(t, "device_profiles"), "uuid"), id)
	shown, ok := c.call(t, "GET", profilesPath+"/"+id, "").want(t, http.StatusOK).object(t)["device_profile"].(map[string]any)
	assert.True(t, ok, "it is wrapped")
	assert.Equal(t, id, shown["uuid"])
	c.call(t, "DELETE", profilesPath+"/"+id, "").want(t, http.StatusNoContent)
	assert.Empty(t, c.call(t, "GET", profilesPath, "").want(t, http.StatusOK).list(t, "device_profiles"))
}
