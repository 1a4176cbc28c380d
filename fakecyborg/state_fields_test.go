package fakecyborg

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A field that a row gets has to be put into the state file as well: see
// state_rows.go; machines are made of the seed and the devices.
// Then put it here.
func TestStateFileHasEveryField(t *testing.T) {
	t.Parallel()
	for row, want := range map[reflect.Type][]string{
		reflect.TypeFor[rows]():       {"profiles", "profileName", "arqs", "byInstance", "poisoned", "devices", "deployables", "byProvider", "attributes", "machines", "seed", "place", "seedText", "progress"},
		reflect.TypeFor[profile]():    {"id", "uuid", "name", "description", "groups", "created", "updated", "arqs"},
		reflect.TypeFor[device]():     {"Device", "id", "uuid", "hostname", "disabled", "created", "updated", "card"},
		reflect.TypeFor[deployable](): {"Deployable", "id", "uuid", "deviceID", "provider", "bitstream", "handles", "provided", "created", "updated"},
		reflect.TypeFor[handle]():     {"Handle", "uuid", "inUse"},
		reflect.TypeFor[attribute]():  {"uuid", "deployableID", "key", "value", "created", "updated", "made"},
		reflect.TypeFor[arq]():        {"id", "uuid", "state", "profile", "group", "target", "project", "handle", "created", "updated", "scope", "poison"},
		reflect.TypeFor[target]():     {"hostname", "deviceRP", "instance"},
	} {
		var fields []string
		for field := range row.Fields() {
			fields = append(fields, field.Name)
		}
		assert.Equal(t, want, fields, row.Name())
	}
}
