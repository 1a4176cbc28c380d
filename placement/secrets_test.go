package placement

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClientPrintsNoToken(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{noRoom}}
	c := newClient(t, WithEndpoint("http://placement.invalid"), WithToken("s3cret"), WithTransport(s))
	_, err := c.Claim(t.Context(), newConsumer(), Candidate{Allocations: map[string]map[string]int64{"p": {"FPGA": 1}}})
	require.ErrorIs(t, err, ErrNoCapacity)
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("x", "client", c, "err", err)
	}
	fmt.Fprintf(&log, "%v %+v %#v %s %q %v %+v %#v %s", c, c, c, c, c, err, err, err, err)
	assert.Contains(t, log.String(), "placement client of http://placement.invalid/")
	assert.NotContains(t, log.String(), "s3cret")
}
