package cyborgclient_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

func TestBoundARQ(t *testing.T) {
	t.Parallel()
	r := recorded(t, "186")
	client, _ := newClient(t, r.ServeHTTP)
	got, err := client.ARQ(t.Context(), arq1)
	require.NoError(t, err)
	assert.JSONEq(t, r.Response.Body, string(got.Raw))
	got.Raw = nil
	handle := got.AttachHandle
	got.AttachHandle = cyborgclient.AttachHandle{}
	created, updated := got.CreatedAt, got.UpdatedAt
	got.CreatedAt, got.UpdatedAt = cyborgclient.Timestamp{}, cyborgclient.Timestamp{}
	want := &cyborgclient.ARQ{
		UUID: arq1, State: cyborgclient.StateBound, DeviceProfileName: "cap-one",
		Hostname: "realstack-cn1", DeviceRPUUID: provider, InstanceUUID: instance, ProjectID: project,
	}
	assert.Empty(t, cmp.Diff(want, got))
	assert.Equal(t, cyborgclient.HandleTestPCI, handle.Type)
	assert.NotEmpty(t, handle.UUID)
	assert.Equal(t, "0c", handle.Info["bus"])
	assert.Equal(t, "0000", handle.Info["domain"])
	assert.Equal(t, 2026, created.Year())
	assert.False(t, updated.Before(created.Time))
}

func TestARQForms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		body string
		want cyborgclient.ARQ
		err  string
	}{
		{name: "group as a number", body: `{"device_profile_group_id": 5}`, want: cyborgclient.ARQ{DeviceProfileGroupID: 5}},
		{name: "group as a numeric string", body: `{"device_profile_group_id": "5"}`, want: cyborgclient.ARQ{DeviceProfileGroupID: 5}},
		{name: "group as another string", body: `{"device_profile_group_id": "five"}`, err: `ARQ: "five" is no integer`},
		{name: "group as a fraction", body: `{"device_profile_group_id": 1.5}`, err: "ARQ: 1.5 is no integer"},
		{name: "nulls", body: `{"uuid": "u", "hostname": null, "device_rp_uuid": null, "instance_uuid": null, "project_id": null, "attach_handle_type": null, "attach_handle_uuid": null, "attach_handle_info": null, "updated_at": null, "created_at": null, "device_profile_group_id": 0}`, want: cyborgclient.ARQ{UUID: "u"}},
		{name: "few fields", body: `{"state": "Initial"}`, want: cyborgclient.ARQ{State: cyborgclient.StateInitial}},
		{name: "numbers in the handle", body: `{"attach_handle_info": {"function": 1}}`, want: cyborgclient.ARQ{AttachHandle: cyborgclient.AttachHandle{Info: map[string]any{"function": json.Number("1")}}}},
		{name: "times", body: `{"created_at": "2026-01-02T03:04:05.5+01:00", "updated_at": "2026-01-02 03:04:05+00:00"}`, want: cyborgclient.ARQ{
			CreatedAt: cyborgclient.Timestamp{Time: time.Date(2026, 1, 2, 2, 4, 5, 5e8, time.UTC)},
			UpdatedAt: cyborgclient.Timestamp{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		}},
		{name: "list", body: `[]`, err: "ARQ: json: cannot unmarshal array"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got cyborgclient.ARQ
			err := json.Unmarshal([]byte(tt.body), &got)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			got.Raw = nil
			assert.Empty(t, cmp.Diff(tt.want, got))
		})
	}
}

// An ARQ that was changed prints its new values, one that was not as it came.
func TestARQPrintsWhatItIs(t *testing.T) {
	t.Parallel()
	const body = `{"uuid":"u","state":"Initial","device_profile_group_id":"0","novel":[1.0]}`
	var arq cyborgclient.ARQ
	require.NoError(t, json.Unmarshal([]byte(body), &arq))
	text, err := json.Marshal(arq)
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(body, string(text)), "to the byte")

	arq.State = cyborgclient.StateBound
	text, err = json.Marshal(arq)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"state":"Bound"`)
	assert.Contains(t, string(text), `"attach_handle_info":{}`)
}

func TestNoARQsOfAnInstance(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t, recorded(t, "157").ServeHTTP)
	arqs, err := client.ARQsByInstance(t.Context(), instance)
	require.NoError(t, err)
	assert.Empty(t, arqs)
}

func TestProfileWithoutAccelerators(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t, respond(http.StatusCreated, `{"arqs": []}`))
	_, err := client.CreateARQs(t.Context(), "p")
	require.ErrorIs(t, err, cyborgclient.ErrNoARQs)
}

func TestStates(t *testing.T) {
	t.Parallel()
	for state, want := range map[cyborgclient.ARQState]bool{
		cyborgclient.StateInitial: false, cyborgclient.StateBindStarted: false, cyborgclient.StateBound: true,
		cyborgclient.StateUnbound: false, cyborgclient.StateBindFailed: true, cyborgclient.StateUnbindFailed: false,
		cyborgclient.StateDeleting: true, "Novel": false,
	} {
		assert.Equal(t, want, state.Resolved(), string(state))
	}
}

func FuzzARQ(f *testing.F) {
	f.Add(`{"uuid":"u","device_profile_group_id":"1","attach_handle_info":{"bus":"3b"},"created_at":"None"}`)
	f.Add(`{"device_profile_group_id":1e3}`)
	f.Fuzz(func(t *testing.T, text string) {
		var arq cyborgclient.ARQ
		if json.Unmarshal([]byte(text), &arq) != nil {
			return
		}
		arq.Raw = nil
		written, err := json.Marshal(arq)
		require.NoError(t, err)
		var again cyborgclient.ARQ
		require.NoError(t, json.Unmarshal(written, &again))
		again.Raw = nil
		if arq.AttachHandle.Info == nil {
			again.AttachHandle.Info = nil
		}
		assert.Empty(t, cmp.Diff(arq, again))
	})
}
