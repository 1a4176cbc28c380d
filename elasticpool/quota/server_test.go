package quota_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// serve runs the server until the test ends, or the returned function is called.
func serve(t *testing.T, s *quota.Server) (stop func()) {
	t.Helper()
	require.NoError(t, s.Listen(t.Context()))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	stopped := false
	stop = func() {
		if cancel(); !stopped {
			stopped = true
			assert.NoError(t, <-done)
		}
	}
	t.Cleanup(stop)
	return stop
}

// dial connects over the network.
func dial(t *testing.T, addr net.Addr) dialed {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), addr.Network(), addr.String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return wrap(conn)
}

// certificate makes a server certificate for 127.0.0.1 and a pool that trusts it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func TestNewServerRefuses(t *testing.T) {
	t.Parallel()
	l := newLedger(t, 1, nil)
	for name, opt := range map[string]quota.ServerOption{
		"an address without a port": quota.WithTCP("localhost"),
		"a socket without a path":   quota.WithUnixSocket(""),
		"no TLS":                    quota.WithTLS(nil),
		"an empty token":            quota.WithToken(""),
		"negative limits":           quota.WithLimits(quota.Limits{MaxLine: -1}),
		"no logger":                 quota.WithLogger(nil),
	} {
		_, err := quota.NewServer(l, opt)
		require.ErrorIs(t, err, quota.ErrConfig, name)
	}
	_, err := quota.NewServer(nil)
	require.ErrorIs(t, err, quota.ErrConfig)
}

func TestListenRefuses(t *testing.T) {
	t.Parallel()
	cert, roots := certificate(t)
	anybody := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}
	unsure := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13, ClientCAs: roots, ClientAuth: tls.VerifyClientCertIfGiven}
	tests := []struct {
		name string
		opts []quota.ServerOption
		want string
	}{
		{"all addresses with TLS that knows no clients", []quota.ServerOption{quota.WithTCP("0.0.0.0:0"), quota.WithTLS(anybody)}, "give a token, or TLS with client certificates"},
		{"all addresses with TLS for those with and without", []quota.ServerOption{quota.WithTCP("0.0.0.0:0"), quota.WithTLS(unsure)}, "give a token, or TLS with client certificates"},
		{"nothing to listen on", nil, "give the service a TCP address or a unix socket"},
		{"all addresses without token and TLS", []quota.ServerOption{quota.WithTCP("0.0.0.0:0")}, "other machines can reach 0.0.0.0"},
		{"all IPv6 addresses without token and TLS", []quota.ServerOption{quota.WithTCP("[::]:0")}, "other machines can reach ::"},
		{"an address of others", []quota.ServerOption{quota.WithTCP("192.0.2.1:0")}, "other machines can reach 192.0.2.1"},
		{"a socket in no directory", []quota.ServerOption{quota.WithTCP(":0"), quota.WithUnixSocket("nowhere/at/all")}, "no such file or directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, _ := newServer(t, tt.opts...)
			require.ErrorContains(t, s.Listen(t.Context()), tt.want)
			assert.Empty(t, s.Addrs(), "all listeners or none")
			if len(tt.opts) == 0 {
				assert.ErrorIs(t, s.Serve(t.Context()), quota.ErrConfig)
			}
		})
	}
}

func TestListenAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{":0", "127.0.0.1:0", "localhost:0"} {
		s, _ := newServer(t, quota.WithTCP(address))
		serve(t, s)
		tcp, ok := s.Addrs()[0].(*net.TCPAddr)
		require.True(t, ok)
		assert.True(t, tcp.IP.IsLoopback(), "%s listens on %s", address, tcp)
		assert.Contains(t, dial(t, tcp).say(t, `{"ResID":"juno"}`), `"AVAILABLE":50`)
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s, l := newServer(t, quota.WithToken("s3cret"), quota.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	assert.Contains(t, connect(t, s).say(t, `{"ResID":"juno","TOKEN":"s3cret"}`), `"AVAILABLE":50`)
	for _, line := range []string{
		`{"ResID":"juno","WANT":1}`, `{"ResID":"juno","WANT":1,"TOKEN":"s3cre"}`, `{"ResID":"nobody","TOKEN":"S3CRET"}`, `null`, `{"ResID":"juno","TOKEN":["s3cret"]}`,
	} {
		c := connect(t, s)
		answer := c.say(t, line)
		assert.Contains(t, answer, `"ERROR":"token is missing or wrong"`)
		assert.Contains(t, answer, `"MIN":0,"AVAILABLE":0,"MAX":0`, "who has no token learns nothing")
		_, err := c.lines.ReadByte()
		require.Error(t, err, "the connection is closed")
	}
	assert.Empty(t, l.Leases())
	assert.NotContains(t, log.String(), "s3cret")
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, roots := certificate(t)
	s, _ := newServer(t, quota.WithTCP("127.0.0.1:0"), quota.WithUnixSocket(filepath.Join(t.TempDir(), "q")),
		quota.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}))
	stop := serve(t, s)
	d := tls.Dialer{Config: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}}
	conn, err := d.DialContext(t.Context(), "tcp", s.Addrs()[0].String())
	require.NoError(t, err)
	defer conn.Close()
	assert.Contains(t, wrap(conn).say(t, `{"ResID":"juno"}`), `"AVAILABLE":50`)
	assert.Contains(t, dial(t, s.Addrs()[1]).say(t, `{"ResID":"juno"}`), `"AVAILABLE":50`, "the unix socket needs no TLS")
	plain := dial(t, s.Addrs()[0])
	_, err = plain.Write([]byte(`{"ResID":"juno"}` + "\n"))
	require.NoError(t, err)
	rest, _ := plain.lines.ReadString('\n') // a TLS alert, or nothing
	assert.NotContains(t, rest, "AVAILABLE")
	stop()
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		send string
		read bool
		want time.Duration
	}{
		{"a client that says nothing", "", true, 30 * time.Second},
		{"a client that stops in the middle", `{"ResID":`, true, 30 * time.Second},
		{"a client that does not read", `{"ResID":"juno"}` + "\n", false, 10 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, _ := newServer(t)
				ours, theirs := net.Pipe()
				defer ours.Close()
				begin, done := time.Now(), make(chan time.Duration)
				go func() { s.ServeConn(context.Background(), theirs); done <- time.Since(begin) }()
				_, err := ours.Write([]byte(tt.send))
				require.NoError(t, err)
				if tt.read {
					_, err = ours.Read(make([]byte, 1))
					require.Error(t, err)
				}
				assert.Equal(t, tt.want, <-done)
			})
		})
	}
}

func TestASlowClientIsCutOffByTheLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := newServer(t)
		ours, theirs := net.Pipe()
		defer ours.Close()
		go s.ServeConn(context.Background(), theirs)
		begin := time.Now()
		for { // a byte each second keeps no connection open
			if _, err := ours.Write([]byte(" ")); err != nil {
				break
			}
			time.Sleep(time.Second)
		}
		assert.LessOrEqual(t, time.Since(begin), 31*time.Second)
	})
}

func TestServerStopsWhileAClientWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := newServer(t)
		ours, theirs := net.Pipe()
		defer ours.Close()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); s.ServeConn(ctx, theirs) }()
		c := wrap(ours)
		c.say(t, `{"ResID":"juno"}`)
		synctest.Wait() // for it to read again
		begin := time.Now()
		cancel()
		<-done
		assert.Zero(t, time.Since(begin))
	})
}

func TestLongLines(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, quota.WithTCP(":0"), quota.WithLimits(quota.Limits{MaxLine: 100}))
	serve(t, s)
	for _, n := range []int{100, 101, 1 << 19} {
		c := dial(t, s.Addrs()[0])
		answer := c.say(t, strings.Repeat("x", n))
		assert.Contains(t, answer, "the line is too long", "%d bytes", n)
		oldClientAccepts(t, answer)
	}
	assert.Contains(t, dial(t, s.Addrs()[0]).say(t, `{"ResID":"juno"}`+strings.Repeat(" ", 83)), `"AVAILABLE":50`, "99 bytes and the line end")
}

func TestLastLineWithoutEnd(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, quota.WithTCP(":0"))
	serve(t, s)
	c := dial(t, s.Addrs()[0])
	_, err := c.Write([]byte(`{"ResID":"juno"}`))
	require.NoError(t, err)
	tcp, ok := c.Conn.(*net.TCPConn)
	require.True(t, ok)
	require.NoError(t, tcp.CloseWrite())
	answer, err := c.lines.ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, answer, `"AVAILABLE":50`)
}

func TestConnectionsBeyondTheMaximumWait(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, quota.WithTCP(":0"), quota.WithLimits(quota.Limits{MaxConnections: 2}))
	serve(t, s)
	first, second := dial(t, s.Addrs()[0]), dial(t, s.Addrs()[0])
	first.say(t, `{"ResID":"juno"}`)
	second.say(t, `{"ResID":"juno"}`)
	third := dial(t, s.Addrs()[0])
	_, err := third.Write([]byte(`{"ResID":"juno"}` + "\n"))
	require.NoError(t, err)
	require.NoError(t, third.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err = third.lines.ReadString('\n')
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "two are served at once")
	require.NoError(t, first.Close())
	require.NoError(t, third.SetReadDeadline(time.Now().Add(20*time.Second)))
	answer, err := third.lines.ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, answer, `"AVAILABLE":50`)
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quota")
	s, _ := newServer(t, quota.WithUnixSocket(path))
	stop := serve(t, s)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	assert.Contains(t, dial(t, s.Addrs()[0]).say(t, `{"ResID":"juno"}`), `"AVAILABLE":50`)

	other, _ := newServer(t, quota.WithUnixSocket(path))
	require.ErrorIs(t, other.Listen(t.Context()), quota.ErrInUse)
	assert.Contains(t, dial(t, s.Addrs()[0]).say(t, `{"ResID":"juno"}`), `"AVAILABLE":50`, "the first is still there")
	stop()
	assert.NoFileExists(t, path)
	serve(t, other)
	assert.Contains(t, dial(t, other.Addrs()[0]).say(t, `{"ResID":"juno"}`), `"AVAILABLE":50`)
}

func TestUnixSocketOfADeadProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quota")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	dead.SetUnlinkOnClose(false)
	require.NoError(t, dead.Close())
	require.FileExists(t, path)
	s, _ := newServer(t, quota.WithUnixSocket(path))
	serve(t, s)
	assert.Contains(t, dial(t, s.Addrs()[0]).say(t, `{"ResID":"juno"}`), `"AVAILABLE":50`)
}

func TestUnixSocketOfAnotherProgramStays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quota")
	var lc net.ListenConfig
	foreign, err := lc.Listen(t.Context(), "unix", path)
	require.NoError(t, err)
	defer foreign.Close()
	s, _ := newServer(t, quota.WithUnixSocket(path))
	require.ErrorIs(t, s.Listen(t.Context()), quota.ErrInUse)
	require.FileExists(t, path)
}

func TestUnixSocketDoesNotReplaceAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quota")
	require.NoError(t, os.WriteFile(path, []byte("precious"), 0o600))
	s, _ := newServer(t, quota.WithUnixSocket(path))
	require.ErrorIs(t, s.Listen(t.Context()), quota.ErrConfig)
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(kept))
}

// Somebody may have taken the path over; what is there then is not ours to remove.
func TestUnixSocketRemovesOnlyItsOwn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quota")
	s, _ := newServer(t, quota.WithUnixSocket(path))
	stop := serve(t, s)
	require.NoError(t, os.Remove(path))
	var lc net.ListenConfig
	foreign, err := lc.Listen(t.Context(), "unix", path)
	require.NoError(t, err)
	defer foreign.Close()
	stop()
	assert.FileExists(t, path)
}
