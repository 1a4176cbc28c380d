package quota_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// client returns a client that is closed when the test ends.
func client(t *testing.T, addr net.Addr, opts ...quota.ClientOption) *quota.Client {
	t.Helper()
	c, err := quota.NewClient(addr.Network(), addr.String(), opts...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

func TestNewClientRefuses(t *testing.T) {
	t.Parallel()
	_, err := quota.NewClient("udp", "127.0.0.1:1")
	require.ErrorIs(t, err, quota.ErrConfig)
	_, err = quota.NewClient("tcp", "127.0.0.1:1", quota.WithClientTLS(nil))
	require.ErrorIs(t, err, quota.ErrConfig)
	_, err = quota.NewClient("tcp", "127.0.0.1:1", quota.WithClientTimeout(0))
	require.ErrorIs(t, err, quota.ErrConfig)
}

func TestClient(t *testing.T) {
	t.Parallel()
	cert, roots := certificate(t)
	s, l := newServer(t, quota.WithToken("s3cret"), quota.WithTCP(":0"), quota.WithUnixSocket(filepath.Join(t.TempDir(), "q")),
		quota.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}))
	serve(t, s)
	overTLS := client(t, s.Addrs()[0], quota.WithClientToken("s3cret"), quota.WithClientTLS(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}))
	for _, c := range []*quota.Client{overTLS, client(t, s.Addrs()[1], quota.WithClientToken("s3cret"))} {
		r, err := c.Query(t.Context(), "juno")
		require.NoError(t, err)
		assert.Equal(t, quota.Response{ResID: "JUNO", Min: 100, Available: 50, Max: 400, Fair: 50}, r)
		r, err = c.Ask(t.Context(), "juno", "gpu", 9, time.Minute)
		require.NoError(t, err)
		assert.Equal(t, 9, r.Available)
		assert.Equal(t, 60, r.TTL)
		_, err = c.ReleaseUnits(t.Context(), "juno", 2)
		require.NoError(t, err)
		_, err = c.Release(t.Context(), "juno", r.Lease)
		require.NoError(t, err)
		require.NoError(t, l.Observe(time.Now(), 1000, map[string]quota.Usage{"juno": {Fair: 50}}))
		assert.Empty(t, l.Leases())

		_, err = c.Query(t.Context(), "nobody")
		require.ErrorIs(t, err, quota.ErrRefused)
		require.ErrorContains(t, err, "no such queue")
		_, err = c.Ask(t.Context(), "juno", "", -1, 0)
		require.ErrorIs(t, err, quota.ErrRequest)
	}
	_, err := client(t, s.Addrs()[1], quota.WithClientToken("other")).Query(t.Context(), "juno")
	require.ErrorIs(t, err, quota.ErrRefused)
	assert.NotContains(t, err.Error(), "other")
}

func TestClientReconnects(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "q")
	s, _ := newServer(t, quota.WithUnixSocket(path))
	stop := serve(t, s)
	c := client(t, s.Addrs()[0])
	_, err := c.Query(t.Context(), "juno")
	require.NoError(t, err)
	stop()
	_, err = c.Query(t.Context(), "juno")
	require.Error(t, err)
	s, _ = newServer(t, quota.WithUnixSocket(path))
	serve(t, s)
	_, err = c.Query(t.Context(), "juno")
	require.NoError(t, err)
}

// hasty starts a service that answers one line of each connection, reads the next one and hangs up. It returns all
// lines it read.
func hasty(t *testing.T) (net.Addr, func() []string) {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var mu sync.Mutex
	var seen []string
	answer := func(conn net.Conn) {
		defer conn.Close()
		lines := bufio.NewReader(conn)
		for i := range 2 {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			mu.Lock()
			seen = append(seen, line)
			mu.Unlock()
			if i == 0 {
				_, _ = conn.Write([]byte(`{"ResID":"JUNO","MIN":0,"AVAILABLE":1}` + "\n"))
			}
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { answer(conn) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return l.Addr(), func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(seen) }
}

func TestClientRepeatsOnlyQueries(t *testing.T) {
	t.Parallel()
	addr, seen := hasty(t)
	c := client(t, addr)
	for range 3 {
		_, err := c.Query(t.Context(), "juno")
		require.NoError(t, err, "a query is repeated when the connection was gone")
	}
	_, err := c.Ask(t.Context(), "juno", "", 1, 0)
	require.Error(t, err, "nobody knows whether the lease was given")
	assert.Equal(t, 1, strings.Count(strings.Join(seen(), ""), "WANT"))
	_, err = c.Ask(t.Context(), "juno", "", 1, 0)
	require.NoError(t, err)
}

func TestClientGivesUp(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	silent, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	_, err = client(t, silent.Addr(), quota.WithClientTimeout(30*time.Millisecond)).Query(t.Context(), "juno")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(30*time.Millisecond, cancel)
	_, err = client(t, silent.Addr()).Query(ctx, "juno")
	require.ErrorIs(t, err, context.Canceled)
}

func TestClientsAtOnce(t *testing.T) {
	t.Parallel()
	s, l := newServer(t, quota.WithTCP(":0"))
	serve(t, s)
	var wg sync.WaitGroup
	for range 4 {
		c := client(t, s.Addrs()[0])
		for range 4 {
			wg.Go(func() {
				for range 10 {
					_, err := c.Ask(t.Context(), "juno", "", 1, 0)
					assert.NoError(t, err)
				}
			})
		}
	}
	wg.Wait()
	sum := 0
	for _, le := range l.Leases() {
		sum += le.Units
	}
	assert.Equal(t, 50, sum, "160 asked for one VM each, 50 were due")
}
