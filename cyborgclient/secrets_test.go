package cyborgclient_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

func TestClientPrintsNoToken(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t, respond(http.StatusForbidden, ""), cyborgclient.WithToken("s3cret"))
	_, err := client.ARQs(t.Context(), cyborgclient.ARQFilter{})
	require.Error(t, err)
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("x", "client", client, "err", err)
	}
	fmt.Fprintf(&log, "%v %+v %#v %s %q %v %+v %#v %s", client, client, client, client, client, err, err, err, err)
	assert.Contains(t, log.String(), "cyborg client of http://cyborg.example/accelerator/v2/")
	assert.NotContains(t, log.String(), "s3cret")
}
