package lifecycle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// BenchmarkCreateDelete reports how many times longer a creation and a deletion take than the same exchanges, written
// out by hand for a bare http.Client (the metric x-bare).
func BenchmarkCreateDelete(b *testing.B) {
	cloud := newExampleCloud(b.Context())
	bare := &bareFlow{b: b, placement: &http.Client{Transport: cloud.placement}, cyborg: &http.Client{Transport: cloud.cyborg}}
	want := exampleRequest("gpu")
	want.Spec.Profile = []requestspec.ProfileGroup{requestspec.GroupOf(map[string]string{"resources:PGPU": "1"})}
	asked, err := requestspec.Build(want.Spec)
	require.NoError(b, err)

	var ours, floor time.Duration
	for b.Loop() {
		started := time.Now()
		created, err := cloud.manager.Create(b.Context(), want)
		require.NoError(b, err)
		require.NoError(b, cloud.manager.Delete(b.Context(), created.Record))
		ours += time.Since(started)
		started = time.Now()
		bare.run(b.Context(), asked.Query())
		floor += time.Since(started)
	}
	b.ReportMetric(float64(ours)/float64(floor), "x-bare")
}

// bareFlow is the flow without any of this module's clients.
type bareFlow struct {
	b                 *testing.B
	placement, cyborg *http.Client
}

type object = map[string]any

func (f *bareFlow) run(ctx context.Context, query string) {
	const cyborg, placement = "http://cyborg.localhost/v2", "http://placement.localhost"
	instance := uuid.NewString()
	f.send(ctx, f.cyborg, http.MethodGet, cyborg+"/device_profiles?name=gpu", nil)
	found := f.send(ctx, f.placement, http.MethodGet, placement+"/allocation_candidates?"+query, nil)
	claim := found["allocation_requests"].([]any)[0].(object)             //nolint:errcheck // panics if it is not so
	provider := claim["mappings"].(object)["device_profile_0"].([]any)[0] //nolint:errcheck // panics if it is not so
	root := claim["mappings"].(object)[""].([]any)[0].(string)            //nolint:errcheck // panics if it is not so
	f.send(ctx, f.placement, http.MethodGet, placement+"/resource_providers?uuid="+url.QueryEscape(root), nil)
	claim["project_id"], claim["user_id"], claim["consumer_generation"] = "demo", "demo", nil
	f.send(ctx, f.placement, http.MethodPut, placement+"/allocations/"+instance, claim)
	made := f.send(ctx, f.cyborg, http.MethodPost, cyborg+"/accelerator_requests", object{"device_profile_name": "gpu"})
	arq := made["arqs"].([]any)[0].(object)["uuid"].(string) //nolint:errcheck // panics if it is not so
	f.send(ctx, f.cyborg, http.MethodPatch, cyborg+"/accelerator_requests", object{arq: []object{
		{"path": "/hostname", "op": "add", "value": "cn1"},
		{"path": "/device_rp_uuid", "op": "add", "value": provider},
		{"path": "/instance_uuid", "op": "add", "value": instance},
	}})
	f.send(ctx, f.cyborg, http.MethodGet, cyborg+"/accelerator_requests?instance="+instance, nil)
	f.send(ctx, f.cyborg, http.MethodDelete, cyborg+"/accelerator_requests?instance="+instance, nil)
	f.send(ctx, f.placement, http.MethodDelete, placement+"/allocations/"+instance, nil)
}

func (f *bareFlow) send(ctx context.Context, client *http.Client, method, address string, body object) object {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		require.NoError(f.b, err)
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, sent)
	require.NoError(f.b, err)
	request.Header = http.Header{
		"X-Auth-Token": {"admin"}, "Openstack-Api-Version": {"placement 1.36"}, "Content-Type": {"application/json"},
		"Accept": {"application/json"},
	}
	if client == f.cyborg {
		request.Header.Del("Openstack-Api-Version")
	}
	response, err := client.Do(request)
	require.NoError(f.b, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(f.b, err)
	require.NoError(f.b, response.Body.Close())
	require.Less(f.b, response.StatusCode, 300, "%s %s: %s", method, address, text)
	if len(text) == 0 {
		return nil
	}
	var decoded object
	require.NoError(f.b, json.Unmarshal(text, &decoded))
	return decoded
}
