package quota

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"time"
)

// Server is the quota service: the Ledger behind VCondor's line protocol and behind HTTP.
type Server struct {
	ledger    *Ledger
	log       *slog.Logger
	limits    Limits
	tcp, unix string
	tls       *tls.Config
	token     *[sha256.Size]byte

	listeners []net.Listener
}

// Limits bound what clients of the line protocol can make the service do. A zero stands for the default.
type Limits struct {
	// ReadTimeout is how long a connection may take for its next request (30 s).
	ReadTimeout time.Duration
	// WriteTimeout is how long a client may take to accept an answer (10 s).
	WriteTimeout time.Duration
	// MaxLine is the longest request in bytes, and the longest body over HTTP (4096).
	MaxLine int
	// MaxConnections is how many connections each listener serves at once; more have to wait until one ends (256).
	MaxConnections int
}

// ServerOption is an option of NewServer.
type ServerOption func(*Server) error

// WithTCP makes the service listen on host:port. Without a host that is the loopback address; an address that other
// machines can reach is refused unless there is a token, or TLS that asks for client certificates and verifies them. VCondor's port is 27020.
func WithTCP(address string) ServerOption {
	return func(s *Server) error {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return fmt.Errorf("%w: TCP address %q is not host:port: %w", ErrConfig, address, err)
		}
		if host == "" {
			host = "127.0.0.1"
		}
		s.tcp = net.JoinHostPort(host, port)
		return nil
	}
}

// WithUnixSocket makes the service listen on a unix socket that only its own user can open (mode 0600).
func WithUnixSocket(path string) ServerOption {
	return func(s *Server) error {
		if path == "" {
			return fmt.Errorf("%w: the path of the unix socket is empty", ErrConfig)
		}
		s.unix = path
		return nil
	}
}

// WithTLS makes TCP connections speak TLS. Ask for client certificates in the configuration to know the clients.
func WithTLS(config *tls.Config) ServerOption {
	return func(s *Server) error {
		if config == nil {
			return fmt.Errorf("%w: the TLS configuration is nil", ErrConfig)
		}
		s.tls = config
		return nil
	}
}

// WithToken makes every request prove that it knows the token: TOKEN on a line, "Authorization: Bearer" over HTTP.
// Old clients of VCondor have none and are refused then.
func WithToken(token string) ServerOption {
	return func(s *Server) error {
		if token == "" {
			return fmt.Errorf("%w: the token is empty", ErrConfig)
		}
		sum := sha256.Sum256([]byte(token))
		s.token = &sum
		return nil
	}
}

// WithLimits replaces the default limits.
func WithLimits(limits Limits) ServerOption {
	return func(s *Server) error {
		if limits.ReadTimeout < 0 || limits.WriteTimeout < 0 || limits.MaxLine < 0 || limits.MaxConnections < 0 {
			return fmt.Errorf("%w: limits %+v are negative", ErrConfig, limits)
		}
		s.limits = limits
		return nil
	}
}

// WithLogger makes the service log there; by default it is silent. Requests are never logged.
func WithLogger(logger *slog.Logger) ServerOption {
	return func(s *Server) error {
		if logger == nil {
			return fmt.Errorf("%w: the logger is nil", ErrConfig)
		}
		s.log = logger
		return nil
	}
}

// NewServer returns a service over the ledger. It listens nowhere before Listen; its Handler can be used at once.
func NewServer(ledger *Ledger, opts ...ServerOption) (*Server, error) {
	const op = "set up the quota service"
	if ledger == nil {
		return nil, &Error{Op: op, Err: fmt.Errorf("%w: the ledger is nil", ErrConfig)}
	}
	s := &Server{ledger: ledger, log: slog.New(slog.DiscardHandler)}
	for _, opt := range opts {
		if err := opt(s); err != nil {
			return nil, &Error{Op: op, Err: err}
		}
	}
	s.limits = s.limits.orDefault()
	return s, nil
}

func (l Limits) orDefault() Limits {
	fill := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	fill(&l.ReadTimeout, 30*time.Second)
	fill(&l.WriteTimeout, 10*time.Second)
	if l.MaxLine == 0 {
		l.MaxLine = 4096
	}
	if l.MaxConnections == 0 {
		l.MaxConnections = 256
	}
	return l
}

// authorize compares hashes, so that neither content nor length of the token shows in the time it takes.
func (s *Server) authorize(token string) error {
	if s.token == nil {
		return nil
	}
	sum := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(sum[:], s.token[:]) != 1 {
		return ErrUnauthorized
	}
	return nil
}
