package osapi_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// closing tells whether it was closed.
type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return nil
}

// A body is read whole, whatever length was announced, and an announced length is no reason to take any memory for it.
func TestReadBody(t *testing.T) {
	t.Parallel()
	sent := bytes.Repeat([]byte("x"), 10_000)
	for name, announced := range map[string]int64{"its length": 10_000, "none": -1, "too little": 1, "far too much": 1 << 60} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := &closing{Reader: bytes.NewReader(sent)}
			read, err := osapi.ReadBody(&http.Response{Body: body, ContentLength: announced})
			require.NoError(t, err)
			assert.Equal(t, sent, read)
			assert.True(t, body.closed)
			assert.LessOrEqual(t, cap(read), 5<<20)
		})
	}
}

// One piece of memory is taken for a body of an announced length.
func TestReadBodyAllocatesOnce(t *testing.T) { //nolint:paralleltest // it counts the allocations of the process
	sent := bytes.Repeat([]byte("x"), 100_000)
	count := testing.AllocsPerRun(100, func() {
		_, err := osapi.ReadBody(&http.Response{Body: io.NopCloser(bytes.NewReader(sent)), ContentLength: int64(len(sent))})
		require.NoError(t, err)
	})
	assert.LessOrEqual(t, count, 6.0, "io.ReadAll takes more than 20")
}

// An answer that breaks off is an error.
func TestReadBodyBreaksOff(t *testing.T) {
	t.Parallel()
	body := &closing{Reader: io.MultiReader(bytes.NewReader([]byte("x")), brokenReader{})}
	_, err := osapi.ReadBody(&http.Response{Body: body, ContentLength: 5})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.True(t, body.closed)
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
