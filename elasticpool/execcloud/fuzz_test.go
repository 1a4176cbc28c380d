package execcloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func FuzzParseAnswer(f *testing.F) {
	for _, line := range []string{
		`{"id":1,"result":{}}`, `{"id":1,"error":{"class":"quota","detail":"x"}}`, `{"id":1}`, `{"id":null,"result":1}`, `[]`, `{"id":9e9,"result":0}`,
		`{"id":1,"result":null,"error":null}`, `{"ID":3,"RESULT":[[]]}`, strings.Repeat("[", 20000), `{"id":1,"error":{"class":"` + strings.Repeat("é", 3000) + `"}}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		found, err := parseAnswer(line)
		switch {
		case errors.Is(err, errUnclear):
			require.Equal(t, found.Result == nil, found.Error == nil)
		case err == nil:
			require.NotEqual(t, found.Result == nil, found.Error == nil)
			if found.Result != nil {
				require.True(t, json.Valid(found.Result))
			}
			again, err := json.Marshal(found)
			require.NoError(t, err)
			second, err := parseAnswer(again)
			require.NoError(t, err)
			require.Equal(t, found.ID, second.ID)
			require.Equal(t, found.Error, second.Error)
		}
		for _, result := range []any{&serversResult{}, &limitsResult{}, &createdResult{vm: "a", pool: "farm"}} {
			if err := found.into(result); err == nil {
				_, err := json.Marshal(result)
				require.NoError(t, err)
			}
		}
	})
}

func FuzzParseRequest(f *testing.F) {
	for _, line := range []string{
		`{"id":1,"method":"create","timeout_ms":5,"params":{"spec":{"vm":"a"}}}`, `{"id":-1,"method":"x"}`, `{"id":1}`, `null`, `{"id":1,"method":"limits","params":null}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if found, err := parseRequest(line); err == nil {
			require.Positive(t, found.ID)
			require.NotEmpty(t, found.Method)
		}
		line = append(bytes.ReplaceAll(line, []byte("\n"), nil), '\n')
		var out bytes.Buffer
		require.NoError(t, Serve(t.Context(), bytes.NewReader(line), &out, newMemory()))
		_, err := parseAnswer(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
		require.NoError(t, err, "whatever is asked, the answer is one")
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbb\n\nccccccccccc\nd"), 4)
	f.Add([]byte("\n\n"), 0)
	f.Fuzz(func(t *testing.T, text []byte, limit int) {
		limit &= 1<<18 - 1
		lines := newLineReader(bytes.NewReader(text), limit)
		for _, want := range bytes.SplitAfter(text, []byte("\n")) {
			got, err := lines.next()
			switch {
			case !bytes.HasSuffix(want, []byte("\n")):
				require.Error(t, err)
				require.NotErrorIs(t, err, errLongLine)
			case len(want)-1 > limit:
				require.ErrorIs(t, err, errLongLine)
			default:
				require.NoError(t, err)
				assert.Equal(t, string(want[:len(want)-1]), string(got))
			}
		}
	})
}
