package cyborgclient_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// BenchmarkARQsByInstance is the call that waiting consists of, over a loopback
// connection. The floor is a bare http.Client that does the same exchange and
// decodes the answer into a plain struct.
func BenchmarkARQsByInstance(b *testing.B) {
	for _, count := range []int{1, 100} {
		b.Run(fmt.Sprintf("%d ARQs", count), func(b *testing.B) {
			server := httptest.NewServer(respond(http.StatusOK, arqList(b, count)))
			defer server.Close()
			client, err := cyborgclient.New(b.Context(), cyborgclient.WithEndpoint(server.URL))
			require.NoError(b, err)
			floor := bare{http.Client{Transport: new(http.Transport)}, server.URL + "/v2/accelerator_requests?instance=" + instance}
			defer floor.client.CloseIdleConnections()

			var ours, theirs time.Duration
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				arqs, err := client.ARQsByInstance(b.Context(), instance)
				ours += time.Since(start)
				require.NoError(b, err)
				require.Len(b, arqs, count)

				b.StopTimer()
				start = time.Now()
				floor.list(b)
				theirs += time.Since(start)
				b.StartTimer()
			}
			b.ReportMetric(float64(ours)/float64(theirs), "×floor")
		})
	}
}

// BenchmarkBind is one PATCH, with its body and its service token, over a loopback
// connection. The floor is a bare http.Client that sends the same bytes.
func BenchmarkBind(b *testing.B) {
	server := httptest.NewServer(respond(http.StatusAccepted, ""))
	defer server.Close()
	client, err := cyborgclient.New(b.Context(), cyborgclient.WithEndpoint(server.URL), cyborgclient.WithToken("user"), cyborgclient.WithServiceToken("service"))
	require.NoError(b, err)
	binding := []cyborgclient.Binding{{ARQ: arq1, Hostname: "cn1", DeviceRP: provider, Instance: instance}}
	floor := bare{http.Client{Transport: new(http.Transport)}, server.URL + "/v2/accelerator_requests"}
	defer floor.client.CloseIdleConnections()
	body := `{"` + arq1 + `":[{"path":"/hostname","op":"add","value":"cn1"},{"path":"/device_rp_uuid","op":"add","value":"` + provider + `"},{"path":"/instance_uuid","op":"add","value":"` + instance + `"}]}`

	var ours, theirs time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		err := client.Bind(b.Context(), binding)
		ours += time.Since(start)
		require.NoError(b, err)

		b.StopTimer()
		start = time.Now()
		floor.patch(b, body)
		theirs += time.Since(start)
		b.StartTimer()
	}
	b.ReportMetric(float64(ours)/float64(theirs), "×floor")
}

func (f *bare) patch(b *testing.B, body string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPatch, f.url, strings.NewReader(body))
	require.NoError(b, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Auth-Token", "user")
	request.Header.Set("X-Service-Token", "service")
	resp, err := f.client.Do(request)
	require.NoError(b, err)
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(b, err)
	require.NoError(b, resp.Body.Close())
	require.Equal(b, http.StatusAccepted, resp.StatusCode)
}

type bare struct {
	client http.Client
	url    string
}

func (f *bare) list(b *testing.B) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, f.url, http.NoBody)
	require.NoError(b, err)
	resp, err := f.client.Do(request)
	require.NoError(b, err)
	defer func() { require.NoError(b, resp.Body.Close()) }()
	var answer struct {
		ARQs []struct {
			UUID             string            `json:"uuid"`
			State            string            `json:"state"`
			ProfileName      string            `json:"device_profile_name"`
			GroupID          int               `json:"device_profile_group_id"`
			Hostname         *string           `json:"hostname"`
			DeviceRPUUID     *string           `json:"device_rp_uuid"`
			InstanceUUID     *string           `json:"instance_uuid"`
			ProjectID        *string           `json:"project_id"`
			AttachHandleType string            `json:"attach_handle_type"`
			AttachHandleUUID *string           `json:"attach_handle_uuid"`
			AttachHandleInfo map[string]string `json:"attach_handle_info"`
			CreatedAt        *time.Time        `json:"created_at"`
			UpdatedAt        *time.Time        `json:"updated_at"`
		} `json:"arqs"`
	}
	require.NoError(b, json.NewDecoder(resp.Body).Decode(&answer))
}

// arqList is an answer with that many bound ARQs.
func arqList(b *testing.B, count int) string {
	b.Helper()
	r, err := readRecording("testdata/captures/186-arq-bound.json")
	require.NoError(b, err)
	arqs := make([]json.RawMessage, count)
	for i := range arqs {
		arqs[i] = json.RawMessage(r.Response.Body)
	}
	list, err := json.Marshal(map[string]any{"arqs": arqs})
	require.NoError(b, err)
	return string(list)
}
