package cyborgclient_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// Any field of any object may be null or missing, but for numbers, of which
// nothing could be made: what is not known is empty.
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
			if _, isNumber := value.(float64); isNumber {
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

func decoder[T any](text []byte) (any, error) {
	var object T
	err := json.Unmarshal(text, &object)
	return object, err
}
