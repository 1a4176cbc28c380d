package unixsocket_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/unixsocket"
)

// leave leaves a socket at a path as a killed process does.
func leave(t *testing.T, path string) {
	t.Helper()
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	dead.SetUnlinkOnClose(false)
	require.NoError(t, dead.Close())
	require.FileExists(t, path)
}

// heard says whether a call to the path arrives at the listener.
func heard(t *testing.T, l net.Listener, path string) bool {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "unix", path)
	if err != nil {
		return false
	}
	there, err := l.Accept()
	require.NoError(t, err)
	require.NoError(t, errors.Join(conn.Close(), there.Close()))
	return true
}

func TestListen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	l, err := unixsocket.Listen(t.Context(), path, 0o600)
	require.NoError(t, err)
	info, err := os.Lstat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	assert.True(t, heard(t, l, path))

	_, err = unixsocket.Listen(t.Context(), path, 0o600)
	require.ErrorIs(t, err, unixsocket.ErrInUse)
	require.ErrorContains(t, err, "listen on socket "+path+": somebody listens there already")
	assert.True(t, heard(t, l, path), "the first is still there")

	require.NoError(t, l.Close())
	require.ErrorIs(t, l.Close(), net.ErrClosed)
	names, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Empty(t, names, "nothing is left")
}

// A socket is born with its mode: nobody else can open it before it has that. Mode 0 leaves it to the umask.
func TestMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o600, 0o660, 0} {
		path := filepath.Join(t.TempDir(), "s")
		l, err := unixsocket.Listen(t.Context(), path, mode)
		require.NoError(t, err)
		info, err := os.Lstat(path)
		require.NoError(t, err)
		if mode != 0 {
			assert.Equal(t, mode, info.Mode().Perm())
		}
		require.NoError(t, l.Close())
	}
}

func TestSocketOfADeadProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	leave(t, path)
	l, err := unixsocket.Listen(t.Context(), path, 0)
	require.NoError(t, err)
	defer l.Close()
	assert.True(t, heard(t, l, path))
}

// What is no socket stays, also what only leads to one, and so does a socket that cannot be asked.
func TestWhatStays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		make func(t *testing.T, path string)
		want error
	}{
		{"a file", func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.WriteFile(path, []byte("precious"), 0o600))
		}, unixsocket.ErrNoSocket},
		{"a directory", func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.Mkdir(path, 0o700))
		}, unixsocket.ErrNoSocket},
		{"a link to a dead socket", func(t *testing.T, path string) {
			t.Helper()
			leave(t, path+"-dead")
			require.NoError(t, os.Symlink(path+"-dead", path))
		}, unixsocket.ErrNoSocket},
		{"a socket of packets", func(t *testing.T, path string) {
			t.Helper()
			packets, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
			require.NoError(t, err)
			t.Cleanup(func() { packets.Close() })
		}, unixsocket.ErrInUse},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "s")
			test.make(t, path)
			before, err := os.Lstat(path)
			require.NoError(t, err)
			_, err = unixsocket.Listen(t.Context(), path, 0o600)
			require.ErrorIs(t, err, test.want)
			after, err := os.Lstat(path)
			require.NoError(t, err)
			assert.True(t, os.SameFile(before, after))
		})
	}
	_, err := unixsocket.Listen(t.Context(), filepath.Join(t.TempDir(), "nowhere", "s"), 0o600)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = unixsocket.Listen(t.Context(), filepath.Join(t.TempDir(), strings.Repeat("x", 200)), 0o600)
	require.Error(t, err, "the path is too long for a socket")
	_, err = unixsocket.Listen(t.Context(), "@s", 0)
	assert.ErrorContains(t, err, "write ./@ for one")
}

// Somebody may have taken the path over; what is there then is not ours to remove.
func TestCloseRemovesOnlyItsOwn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	l, err := unixsocket.Listen(t.Context(), path, 0o600)
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	other, err := unixsocket.Listen(t.Context(), path, 0o600)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	assert.True(t, heard(t, other, path))
	require.NoError(t, other.Close())
	assert.NoFileExists(t, path)
}

// Of those that start at the same time over a dead socket one gets it, and keeps it; the others are told so.
func TestStartersRace(t *testing.T) {
	t.Parallel()
	const starters, rounds = 8, 50
	for range rounds {
		path := filepath.Join(t.TempDir(), "s")
		leave(t, path)
		var winner atomic.Pointer[unixsocket.Listener]
		var starting sync.WaitGroup
		begin := make(chan struct{})
		for range starters {
			starting.Go(func() {
				<-begin
				l, err := unixsocket.Listen(t.Context(), path, 0o600)
				if err != nil {
					assert.ErrorIs(t, err, unixsocket.ErrInUse)
					return
				}
				if !assert.True(t, winner.CompareAndSwap(nil, l), "two have the socket") {
					assert.NoError(t, l.Close())
				}
			})
		}
		close(begin)
		starting.Wait()
		require.NotNil(t, winner.Load())
		assert.True(t, heard(t, winner.Load(), path))
		require.NoError(t, winner.Load().Close())
	}
}

// Who starts while another ends gets the socket or is told that it is in use; what he gets stays.
func TestStartWhileAnotherEnds(t *testing.T) {
	t.Parallel()
	for range 100 {
		path := filepath.Join(t.TempDir(), "s")
		old, err := unixsocket.Listen(t.Context(), path, 0o600)
		require.NoError(t, err)
		var ending sync.WaitGroup
		ending.Go(func() { assert.NoError(t, old.Close()) })
		l, err := unixsocket.Listen(t.Context(), path, 0o600)
		ending.Wait()
		if err != nil {
			require.ErrorIs(t, err, unixsocket.ErrInUse)
			continue
		}
		require.True(t, heard(t, l, path))
		require.NoError(t, l.Close())
	}
}

func TestContextThatIsOver(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	leave(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := unixsocket.Listen(ctx, path, 0o600)
	require.Error(t, err)
	assert.FileExists(t, path)
}
