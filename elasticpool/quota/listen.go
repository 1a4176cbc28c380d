package quota

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/novacyborg/novacyborg/internal/unixsocket"
)

// Listen opens the listeners that the options name, all of them or none.
func (s *Server) Listen(ctx context.Context) error {
	if s.tcp != "" {
		l, err := s.listenTCP(ctx)
		if err != nil {
			return &Error{Op: "listen on " + s.tcp, Err: err}
		}
		s.listeners = append(s.listeners, l)
	}
	if s.unix != "" {
		l, err := unixsocket.Listen(ctx, s.unix, 0o600)
		if errors.Is(err, unixsocket.ErrNoSocket) {
			err = fmt.Errorf("%w: %w: choose another path", ErrConfig, err)
		}
		if err != nil {
			s.closeListeners()
			s.listeners = nil
			return &Error{Op: "set up the quota service", Err: err}
		}
		s.listeners = append(s.listeners, l)
	}
	if len(s.listeners) == 0 {
		return &Error{Op: "listen", Err: fmt.Errorf("%w: give the service a TCP address or a unix socket", ErrConfig)}
	}
	return nil
}

// Addrs returns the addresses of the listeners, TCP before unix.
func (s *Server) Addrs() []net.Addr {
	addrs := make([]net.Addr, len(s.listeners))
	for i, l := range s.listeners {
		addrs[i] = l.Addr()
	}
	return addrs
}

func (s *Server) closeListeners() {
	for _, l := range s.listeners {
		if err := l.Close(); err != nil {
			s.log.Warn("close a listener of the quota service", "address", l.Addr().String(), "error", err)
		}
	}
}

// listenTCP refuses to offer leases to other machines without knowing who asks.
func (s *Server) listenTCP(ctx context.Context) (net.Listener, error) {
	host, _, err := net.SplitHostPort(s.tcp)
	if err != nil {
		return nil, err
	}
	if s.token == nil && (s.tls == nil || s.tls.ClientAuth < tls.RequireAndVerifyClientCert) {
		ips, err := net.DefaultResolver.LookupIPAddr(ctx, host)
		if err != nil {
			return nil, err
		}
		for _, ip := range ips {
			if !ip.IP.IsLoopback() {
				return nil, fmt.Errorf("%w: other machines can reach %s; give a token, or TLS with client certificates", ErrConfig, ip.String())
			}
		}
	}
	var lc net.ListenConfig
	return lc.Listen(ctx, "tcp", s.tcp)
}
