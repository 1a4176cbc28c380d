package cyborgclient_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// resource knows how to decode the objects of a path, once as they are and once
// without Raw, so that they are written anew.
type resource struct {
	collection string // key of the list
	wrapper    string // key of the single object, "" for none
	decode     func(t *testing.T, data []byte) (kept, anew any)
}

func decodeInto[T any](forget func(*T)) func(*testing.T, []byte) (any, any) {
	return func(t *testing.T, data []byte) (any, any) {
		t.Helper()
		var kept, anew T
		require.NoError(t, json.Unmarshal(data, &kept))
		require.NoError(t, json.Unmarshal(data, &anew))
		forget(&anew)
		return kept, anew
	}
}

var resources = map[string]resource{
	"device_profiles": {"device_profiles", "device_profile", decodeInto(func(p *cyborgclient.DeviceProfile) { p.Raw = nil })},
	"accelerator_requests": {"arqs", "", decodeInto(func(a *cyborgclient.ARQ) {
		a.Raw = nil
	})},
	"devices":     {"devices", "", decodeInto(func(d *cyborgclient.Device) { d.Raw = nil })},
	"attributes":  {"attributes", "", decodeInto(func(a *cyborgclient.Attribute) { a.Raw = nil })},
	"deployables": {"deployables", "", decodeInto(func(d *cyborgclient.Deployable) { d.Raw = nil })},
}

// objects are the single objects of a success body.
func (r resource) objects(t *testing.T, body string) []json.RawMessage {
	t.Helper()
	var wrapped map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(body), &wrapped))
	if list, ok := wrapped[r.collection]; ok {
		var objects []json.RawMessage
		require.NoError(t, json.Unmarshal(list, &objects))
		return objects
	}
	if object, ok := wrapped[r.wrapper]; ok {
		return []json.RawMessage{object}
	}
	return []json.RawMessage{json.RawMessage(body)}
}

// Every success body of a real Cyborg decodes and encodes without loss.
func TestRecordedObjects(t *testing.T) {
	t.Parallel()
	seen := make(map[string]int)
	for path, r := range allRecordings(t) {
		name := strings.Split(r.path(), "/")
		if r.Response.Status >= 300 || r.Response.Body == "" || len(name) < 3 {
			continue
		}
		resource, ok := resources[name[2]]
		if !ok {
			continue
		}
		for _, object := range resource.objects(t, r.Response.Body) {
			seen[name[2]]++
			kept, anew := resource.decode(t, object)
			text, err := json.Marshal(kept)
			require.NoError(t, err)
			assert.JSONEq(t, string(object), string(text), path)

			text, err = json.Marshal(anew)
			require.NoError(t, err)
			assert.JSONEq(t, normal(t, object), string(text), path)
		}
	}
	for name := range resources {
		assert.NotZero(t, seen[name], name)
	}
}

// Every version document of a real Cyborg is read, the roots' too.
func TestRecordedVersionDocuments(t *testing.T) {
	t.Parallel()
	seen := 0
	for path, r := range allRecordings(t) {
		name := strings.Trim(r.path(), "/")
		if r.Request.Method != http.MethodGet || r.Response.Status != http.StatusOK || name != "v2" || !strings.Contains(r.Response.Body, "_version") {
			continue
		}
		seen++
		client, _ := newClient(t, r.ServeHTTP)
		versions, err := client.Versions(t.Context())
		require.NoError(t, err, path)
		assert.True(t, versions.Supports(cyborgclient.Microversion{Major: 2}), path)
	}
	assert.NotZero(t, seen)
}

// normal is an object without links and with the usual form of timestamps.
func normal(t *testing.T, object []byte) string {
	t.Helper()
	var fields map[string]any
	require.NoError(t, json.Unmarshal(object, &fields))
	delete(fields, "links")
	for _, key := range []string{"created_at", "updated_at"} {
		switch text, _ := fields[key].(string); {
		case text == "None":
			fields[key] = nil
		case len(text) > 10 && text[10] == ' ':
			fields[key] = strings.Replace(text, " ", "T", 1)
		}
	}
	text, err := json.Marshal(fields)
	require.NoError(t, err)
	return string(text)
}

// recordedKinds are the kinds of all errors that were recorded, by status and
// the beginning of the fault; the first row that fits counts.
var recordedKinds = []struct {
	status int
	fault  string
	kind   error // nil for none of the sentinels: the status and the text say all
}{
	{400, "Couldn't apply patch. Reason: Instance", cyborgclient.ErrInstanceHasARQs},
	{400, "", nil},
	{401, "The request you have made requires authentication.", cyborgclient.ErrUnauthorized},
	{403, "ARQ ", cyborgclient.ErrServiceTokenNeeded},
	{403, "This operation requires a service token.", cyborgclient.ErrServiceTokenNeeded},
	{403, "Access was denied to the following resource: cyborg:", cyborgclient.ErrForbidden},
	{404, "Not Found", cyborgclient.ErrVersion},
	{404, "AttachHandle not found", cyborgclient.ErrNotFound},
	{404, "Attribute not found", cyborgclient.ErrNotFound},
	{404, "Deployable not found", cyborgclient.ErrNotFound},
	{404, "Device Profile not found", cyborgclient.ErrNotFound},
	{404, "Device not found", cyborgclient.ErrNotFound},
	{404, "ExtArq not found", cyborgclient.ErrNotFound},
	{404, "Image not found", cyborgclient.ErrNotFound},
	{405, "Method Not Allowed", cyborgclient.ErrVersion},
	{406, "", cyborgclient.ErrVersion},
	{409, "A device_profile with name", cyborgclient.ErrExists},
	{415, "Unknown mimetype", nil},
	{423, "Locked", cyborgclient.ErrNotResolved},
	{500, "Bad state: Bound for ARQ: ", cyborgclient.ErrBadState},
	{500, "Remote error: DBReferenceError", cyborgclient.ErrInUse},
	{500, "", nil},
}

var sentinels = []error{
	cyborgclient.ErrInvalid, cyborgclient.ErrInvalidAnswer, cyborgclient.ErrNotFound, cyborgclient.ErrAmbiguousProfile, cyborgclient.ErrExists,
	cyborgclient.ErrInUse, cyborgclient.ErrNoARQs, cyborgclient.ErrBadState, cyborgclient.ErrInstanceHasARQs,
	cyborgclient.ErrNotResolved, cyborgclient.ErrNoProvider, cyborgclient.ErrImageConflict, cyborgclient.ErrServiceTokenNeeded,
	cyborgclient.ErrUnauthorized, cyborgclient.ErrForbidden, cyborgclient.ErrUnreachable, cyborgclient.ErrVersion,
}

// Every error body of a real Cyborg becomes a text without JSON and traceback,
// and the right kind of error.
func TestRecordedFaults(t *testing.T) {
	t.Parallel()
	rows := make(map[int]bool)
	for path, r := range allRecordings(t) {
		if r.Response.Status < 400 || !strings.HasPrefix(r.path(), "/v2") {
			continue
		}
		client, _ := newClient(t, r.ServeHTTP)
		_, err := client.ARQs(t.Context(), cyborgclient.ARQFilter{})
		var failure *cyborgclient.Error
		require.ErrorAs(t, err, &failure, path)
		assert.Equal(t, r.Response.Status, failure.StatusCode, path)
		assert.NotEmpty(t, failure.Fault, path)
		assert.NotContains(t, failure.Fault, "Traceback", path)
		assert.NotContains(t, failure.Fault, "faultstring", path)
		assert.NotContains(t, err.Error(), "\n", path)
		row := kindRow(failure)
		require.GreaterOrEqual(t, row, 0, "%s: no row for %q", path, failure.Fault)
		rows[row] = true
		for _, sentinel := range sentinels {
			assert.Equal(t, errors.Is(sentinel, recordedKinds[row].kind), errors.Is(err, sentinel), "%s: %v", path, sentinel)
		}
	}
	if collectionIsThere() {
		assert.Len(t, rows, len(recordedKinds), "a row that no recording has")
	}
}

// kindRow is the index of the row that fits, or -1.
func kindRow(failure *cyborgclient.Error) int {
	for i, row := range recordedKinds {
		if row.status == failure.StatusCode && strings.HasPrefix(failure.Fault, row.fault) {
			return i
		}
	}
	return -1
}

// collectionIsThere says whether the recordings beside the repository are.
func collectionIsThere() bool {
	paths, _ := filepath.Glob("../../shared/captures/*-*")
	return len(paths) > 0
}

// The whole collection is read where it exists: no folder is passed over.
func TestAllFoldersOfRecordingsAreRead(t *testing.T) {
	t.Parallel()
	if !collectionIsThere() {
		t.Skip("there is no collection of recordings beside the repository")
	}
	folders := make(map[string]int)
	for path := range allRecordings(t) {
		folders[filepath.Base(filepath.Dir(path))]++
	}
	for _, folder := range []string{
		"stage1-no-nova", "stage1-nova-stub", "stage2-with-nova", "sid-stage1-nova-stub", "nova-wire", "sid-nova-wire", "clients-wire",
	} {
		assert.Greater(t, folders[folder], 40, folder)
	}
}

// What some recorded errors mean.
func TestRecordedErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		number    string
		kind      error // nil for none of the sentinels
		fault     string
		elsewhere bool
	}{
		{number: "034", kind: cyborgclient.ErrUnauthorized, fault: "The request you have made requires authentication."},
		{number: "044", kind: cyborgclient.ErrExists, fault: "A device_profile with name cap-one already exists."},
		{number: "056", fault: "DeviceProfile name needed."},
		{number: "082", kind: cyborgclient.ErrVersion, fault: "Request not acceptable. The minimal required API version should be 2.2"},
		{number: "081", kind: cyborgclient.ErrForbidden, fault: "Access was denied to the following resource: cyborg:device_profile:get_one"},
		{number: "090", kind: cyborgclient.ErrVersion, fault: "Method Not Allowed"},
		{number: "141", kind: cyborgclient.ErrNotFound, fault: "Device Profile not found with name="},
		{number: "152", kind: cyborgclient.ErrNotFound, fault: "ExtArq not found with uuid=00000000-0000-0000-0000-000000000001"},
		{number: "154", kind: cyborgclient.ErrInUse, fault: "Remote error: DBReferenceError"},
		{number: "159", kind: cyborgclient.ErrServiceTokenNeeded, fault: "This operation requires a service token."},
		{number: "162", kind: cyborgclient.ErrUnauthorized, fault: "The request you have made requires authentication."},
		{number: "176", fault: "Expected a uuid but received abc."},
		{number: "182", kind: cyborgclient.ErrForbidden, fault: "Access was denied to the following resource: cyborg:arq:update"},
		{number: "191", kind: cyborgclient.ErrInstanceHasARQs, fault: "Couldn't apply patch. Reason: Instance"},
		{number: "192", kind: cyborgclient.ErrBadState, fault: "Bad state: Bound for ARQ: " + arq1},
		{number: "194", kind: cyborgclient.ErrServiceTokenNeeded, fault: "ARQ " + arq1 + " is bound to instance"},
		{number: "216", kind: cyborgclient.ErrNotResolved, fault: "Locked"},
		{number: "220", kind: cyborgclient.ErrNotFound, fault: "Deployable not found with resource provider uuid=", elsewhere: true},
		{number: "233", kind: cyborgclient.ErrNotFound, fault: "AttachHandle not found Matching deployable_id 1", elsewhere: true},
	}
	for _, tt := range tests {
		t.Run(tt.number, func(t *testing.T) {
			t.Parallel()
			r := recorded(t, tt.number)
			client, _ := newClient(t, r.ServeHTTP)
			_, err := client.ARQs(t.Context(), cyborgclient.ARQFilter{})
			var failure *cyborgclient.Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, "list ARQs", failure.Op)
			assert.Equal(t, r.Response.Status, failure.StatusCode)
			assert.True(t, strings.HasPrefix(failure.Fault, tt.fault), failure.Fault)
			assert.True(t, strings.HasPrefix(failure.RequestID, "req-"), failure.RequestID)
			assert.Equal(t, tt.elsewhere, failure.RetryElsewhere())
			for _, sentinel := range sentinels {
				assert.Equal(t, errors.Is(sentinel, tt.kind), errors.Is(err, sentinel), "%v", sentinel)
			}
		})
	}
}

// What Nova sent to a real Cyborg is what we send, to the order of operations.
func TestBindAsNovaDoes(t *testing.T) {
	t.Parallel()
	compared := 0
	for path, r := range allRecordings(t) {
		if !strings.Contains(path, "nova-wire") || r.Request.Method != http.MethodPatch {
			continue
		}
		compared++
		var patches map[string][]struct{ Value string }
		require.NoError(t, json.Unmarshal(r.Request.JSON, &patches))
		var bindings []cyborgclient.Binding
		for arq, ops := range patches {
			bindings = append(bindings, cyborgclient.Binding{ARQ: arq, Hostname: ops[0].Value, DeviceRP: ops[1].Value, Instance: ops[2].Value})
		}
		client, server := newClient(t, respond(http.StatusAccepted, ""))
		require.NoError(t, client.Bind(t.Context(), bindings))
		assert.JSONEq(t, string(r.Request.JSON), server.sent[0].Body, path)
	}
	if compared == 0 {
		t.Skip("the recordings of Nova are not there")
	}
}
