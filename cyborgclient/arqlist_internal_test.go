package cyborgclient

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const listedARQ = `{"uuid": "0b5ee373-a009-4b26-8f62-bbbfa5af3d1b", "state": "Bound", "device_profile_group_id": 0,
	"attach_handle_type": "PCI", "attach_handle_info": {"bus": "3b", "device": "00"}, "links": [{"href": "a]}\"{"}]}`

// arqLists are answers of all kinds; the quick way must read them as the plain
// one does.
var arqLists = []string{
	`{"arqs": []}`, `{"arqs": [` + listedARQ + `]}`, `{ "arqs" :[ ` + listedARQ + ` , ` + listedARQ + `] , "x": [1, {"y": 2}]}`,
	`{"x": {"arqs": [{}]}}`, `{"arqs": null}`, `{"arqs": {}}`, `{"arqs": [null]}`, `{"arqs": [1]}`, `{"arqs": [[]]}`, `{"ARQS": [` + listedARQ + `]}`,
	`{"x": "arqs", "arqs": [` + listedARQ + `]}`, `{"arqs": [` + listedARQ + `], "arqs": []}`, `{"x": "\"arqs\"", "arqs": []}`, `[]`, `null`, ``, `{"arqs": [`,
	`{"arqs": "[{}]"}`, `{"arqs": [{"uuid": "x"}]}`, `{"y": "\\", "arqs": [` + listedARQ + `]}`,
}

func compareARQLists(t *testing.T, body string) {
	t.Helper()
	quick, quickErr := decodeARQs([]byte(body))
	plain, plainErr := decodeList[ARQ]([]byte(body), "arqs")
	if plainErr != nil {
		require.Error(t, quickErr, body)
		return
	}
	require.NoError(t, quickErr, body)
	assert.Empty(t, cmp.Diff(plain, quick), body)
}

func TestDecodeARQs(t *testing.T) {
	t.Parallel()
	for _, body := range arqLists {
		compareARQLists(t, body)
	}
	arqs, err := decodeARQs([]byte(`{"arqs": [` + listedARQ + `, ` + listedARQ + `]}`))
	require.NoError(t, err)
	require.Len(t, arqs, 2)
	for _, arq := range arqs {
		assert.True(t, bytes.Equal([]byte(listedARQ), arq.Raw))
	}
	_ = append(arqs[0].Raw, "xxx"...)
	assert.True(t, bytes.Equal([]byte(listedARQ), arqs[1].Raw))
}

func FuzzDecodeARQs(f *testing.F) {
	for _, body := range arqLists {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) { compareARQLists(t, body) })
}

// FuzzPlainTexts compares the quick way to read an object of strings with
// encoding/json's.
func FuzzPlainTexts(f *testing.F) {
	for _, object := range []string{`{}`, `{"a":"b"}`, ` { "a" : "b" , "c" : "" } `, `{"a": 1}`, `{"a": "\u0041"}`, `{"a": null}`, `{"a": ["b"]}`, `null`, `{"a":"b","a":"c"}`, "{\"a\":\"\xff\"}"} {
		f.Add(object)
	}
	f.Fuzz(func(t *testing.T, object string) {
		texts, ok := plainTexts(object)
		if !ok || !json.Valid([]byte(object)) {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader([]byte(object)))
		decoder.UseNumber()
		var want map[string]any
		require.NoError(t, decoder.Decode(&want))
		assert.Empty(t, cmp.Diff(want, texts))
	})
}
