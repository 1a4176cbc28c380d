package fakecyborg_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// realInputs runs a test for each real input of a folder. Without the files the test is skipped, or fails where they are required.
func realInputs(t *testing.T, folder string, each func(t *testing.T, data []byte)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "shared", "real-inputs", folder, "*.json"))
	require.NoError(t, err)
	if len(paths) == 0 {
		const reason = "no real inputs in ../shared/real-inputs"
		if os.Getenv("NOVACYBORG_PEERS") == "required" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		t.Run(filepath.Base(path), func(t *testing.T) { each(t, data) })
	}
}

// Profiles that real clouds have are taken or refused, and make as many requests,
// as there.
func TestRealDeviceProfiles(t *testing.T) {
	t.Parallel()
	realInputs(t, "device-profiles", func(t *testing.T, data []byte) {
		var input struct {
			Profile struct {
				Name   string              `json:"name"`
				Groups []map[string]string `json:"groups"`
			} `json:"device_profile"`
			ARQs   int                 `json:"arqs_expected"`
			Stored []map[string]string `json:"stored_groups"`
			Status int                 `json:"post_status"`
		}
		require.NoError(t, json.Unmarshal(data, &input))
		var sent struct {
			Profile json.RawMessage `json:"device_profile"`
		}
		require.NoError(t, json.Unmarshal(data, &sent))
		c := newClient(t)
		posted := c.call(t, http.MethodPost, "/v2/device_profiles", "["+string(sent.Profile)+"]")
		if input.Status != 0 {
			require.Equal(t, input.Status, posted.status, posted.body)
			assert.Equal(t, http.StatusNotFound, c.call(t, http.MethodPost, "/v2/accelerator_requests", `{"device_profile_name": "`+input.Profile.Name+`"}`).status)
			return
		}
		require.Equal(t, http.StatusCreated, posted.status, posted.body)
		var stored struct {
			Groups []map[string]string `json:"groups"`
		}
		require.NoError(t, json.Unmarshal([]byte(posted.body), &stored))
		if input.Stored == nil {
			input.Stored = input.Profile.Groups
		}
		assert.Equal(t, input.Stored, stored.Groups)
		assert.Len(t, c.makeARQs(t, input.Profile.Name), input.ARQs)
	})
}

// Records of real requests are those of the fake: the same fields with values of
// the same kinds, the same handles, and the same answer to the same PATCH.
func TestRealARQs(t *testing.T) {
	t.Parallel()
	realInputs(t, "arqs", func(t *testing.T, data []byte) {
		var input struct {
			ARQs    []map[string]any `json:"arqs"`
			Handles []struct {
				Type string            `json:"type"`
				Info map[string]string `json:"info"`
			} `json:"attach_handles"`
			Patch  map[string][]map[string]string `json:"patch"`
			Answer struct {
				Status int    `json:"status"`
				Body   string `json:"body"`
			} `json:"answer"`
		}
		require.NoError(t, json.Unmarshal(data, &input))
		require.NotEmpty(t, len(input.ARQs)+len(input.Handles)+len(input.Patch))
		server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()))
		require.NoError(t, err)
		c := clientOf(server)
		for _, real := range input.ARQs {
			compareRecord(t, c, real)
		}
		for _, handle := range input.Handles {
			provider := driver.ProviderUUID(fakeName)
			if handle.Type == "PCI" {
				provider = driver.ProviderUUID(fpgaName)
			}
			arq := c.makeARQs(t, "one-fpga")[0].UUID
			require.Equal(t, http.StatusAccepted, c.bind(t, binding{arq, "rack1", provider, uuid.NewString()}).status)
			made := c.showARQ(t, arq)
			assert.Equal(t, handle.Type, made.HandleType)
			for _, key := range []string{"domain", "bus", "device", "function"} {
				assert.Contains(t, handle.Info, key)
				assert.Contains(t, made.HandleInfo, key)
			}
		}
		for _, operations := range input.Patch {
			arq := c.makeARQs(t, "one-fpga")[0].UUID
			for _, operation := range operations {
				switch operation["path"] {
				case "/hostname":
					operation["value"] = "rack1"
				case "/device_rp_uuid":
					operation["value"] = driver.ProviderUUID(fakeName)
				}
			}
			body, err := json.Marshal(map[string]any{arq: operations})
			require.NoError(t, err)
			old := c.call(t, http.MethodPatch, "/v2/accelerator_requests", string(body))
			assert.Equal(t, http.StatusNotAcceptable, old.status, "a project needs microversion 2.1")
			got := c.call(t, http.MethodPatch, "/v2/accelerator_requests", string(body), "OpenStack-API-Version", "accelerator 2.1")
			assert.Equal(t, input.Answer.Status, got.status, got.body)
			assert.Equal(t, input.Answer.Body, got.body)
			assert.Equal(t, "Bound", c.showARQ(t, arq).State)
		}
	})
}

// compareRecord makes a request like a real one and compares what is not random.
func compareRecord(t *testing.T, c client, real map[string]any) {
	t.Helper()
	arq := c.makeARQs(t, "one-fpga")[0].UUID
	var ours map[string]any
	decodeInto(t, c.call(t, http.MethodGet, "/v2/accelerator_requests/"+arq, "").body, &ours)
	for key, value := range real {
		require.Contains(t, ours, key)
		switch key {
		case "uuid", "device_profile_name", "created_at":
			assert.IsType(t, value, ours[key], key)
		default:
			assert.Equal(t, value, ours[key], key)
		}
	}
}
