package lifecycle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/virtdriver"
)

func TestNewRefusesUselessOptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		opt  Option
		want string
	}{
		{"no attempts", WithAttempts(0), "attempts must be at least 1"},
		{"no time for the undo", WithUndoTimeout(-time.Second), "undo time-out must be positive"},
		{"nil observer", WithObserver(nil), "observer is nil"},
		{"useless wait", WithWaiter(virtdriver.WithTimeout(-1)), "new lifecycle manager: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := New(&placement.Client{}, &cyborgclient.Client{}, test.opt)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestNewNeedsBothClients(t *testing.T) {
	t.Parallel()
	_, err := New(nil, &cyborgclient.Client{})
	require.Error(t, err)
	_, err = New(&placement.Client{}, nil)
	require.Error(t, err)
	m, err := New(&placement.Client{}, &cyborgclient.Client{}, WithAttempts(2), WithUndoTimeout(time.Second))
	require.NoError(t, err)
	assert.Equal(t, 2, m.attempts)
	assert.Equal(t, time.Second, m.undoTimeout)
}
