package cyborgclient_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// Any field of any object may be null or missing: what is not known is empty.
func TestNullAndMissingFields(t *testing.T) {
	t.Parallel()
	decoders := map[string]func([]byte) (any, error){
		"080": decoder[cyborgclient.DeviceProfile], "186": decoder[cyborgclient.ARQ], "105": decoder[cyborgclient.Device],
		"112": decoder[cyborgclient.Deployable], "117": decoder[cyborgclient.Attribute],
	}
	for number, decode := range decoders {
		body := []byte(recorded(t, number).Response.Body)
		var fields map[string]any
		require.NoError(t, json.Unmarshal(body, &fields))
		if wrapped, ok := fields["device_profile"].(map[string]any); ok {
			fields = wrapped
		}
		for key, value := range fields {
			if _, isNumber := value.(float64); isNumber { // it prints as 0, or null where 0 is a number
				delete(fields, key)
				text, err := json.Marshal(fields)
				require.NoError(t, err)
				text = append(text[:len(text)-1], `,"`+key+`":null}`...)
				object, err := decode(text)
				require.NoError(t, err, "%s: %s", number, text)
				again, err := json.Marshal(object)
				require.NoError(t, err)
				assert.JSONEq(t, string(text), string(again))
				fields[key] = value
				continue
			}
			fields[key] = nil
			for _, missing := range []bool{false, true} {
				if missing {
					delete(fields, key)
				}
				text, err := json.Marshal(fields)
				require.NoError(t, err)
				object, err := decode(text)
				require.NoError(t, err, "%s: %s", number, text)
				again, err := json.Marshal(object)
				require.NoError(t, err)
				assert.JSONEq(t, string(text), string(again), "%s without %s", number, key)
			}
			fields[key] = value
		}
	}
}

// One odd number does not take the other objects of a list away.
func TestOddNumbers(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t, respond(http.StatusOK, `{"arqs": [
		{"uuid": "`+arq1+`", "device_profile_group_id": null}, {"uuid": "`+arq2+`", "device_profile_group_id": "1"}, {"uuid": "`+arq3+`", "device_profile_group_id": ""}],
		"deployables": [{"uuid": "`+arq1+`", "num_accelerators": null, "device_id": null, "parent_id": "3", "root_id": null}]}`))
	arqs, err := client.ARQs(t.Context(), cyborgclient.ARQFilter{})
	require.NoError(t, err)
	require.Len(t, arqs, 3)
	for i, want := range []int{-1, 1, -1} {
		assert.Equal(t, want, arqs[i].DeviceProfileGroupID)
	}
	_, err = cyborgclient.Match(arqs[:1], map[string][]string{"device_profile_0": {provider}}, "")
	require.ErrorIs(t, err, cyborgclient.ErrNoProvider, "it must not pass for one of the first group")
	deployables, err := client.Deployables(t.Context(), cyborgclient.DeployableFilter{})
	require.NoError(t, err)
	assert.Zero(t, deployables[0].DeviceID)
	require.NotNil(t, deployables[0].ParentID)
	assert.Equal(t, 3, *deployables[0].ParentID)
	assert.Nil(t, deployables[0].RootID)
}

func decoder[T any](text []byte) (any, error) {
	var object T
	err := json.Unmarshal(text, &object)
	return object, err
}
