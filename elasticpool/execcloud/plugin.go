package execcloud

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// errClosed is why a session of a closed Plugin is over.
var errClosed = errors.New("it was closed")

// Plugin is a cloud behind a program. Its process starts with the first request, and again, after a rest, with the first
// request after it has died. It is an elasticpool.Provider, and is closed when it is no more needed.
type Plugin struct {
	name   string
	config config
	start  func() (link, error)
	life   context.Context // ends with Close
	close  context.CancelFunc
	turn   chan struct{} // whoever may put something into it may start the process
	alive  sync.WaitGroup

	// Only whoever has the turn reads and writes these.
	session *session
	ended   chan struct{} // closed when the session's process is gone
	began   time.Time
	fails   int
	again   time.Time // not to be started before
	why     error     // it last failed
}

var _ elasticpool.Provider = (*Plugin)(nil)

// New returns the cloud that a program serves: its path, which is looked for in PATH if it has no slash, and its
// arguments. The program is not started yet.
func New(command []string, options ...Option) (*Plugin, error) {
	if len(command) == 0 || command[0] == "" {
		return nil, errors.New("plugin without a command")
	}
	c := defaults()
	for _, option := range options {
		if err := option(&c); err != nil {
			return nil, fmt.Errorf("plugin %s: %w", command[0], err)
		}
	}
	name := filepath.Base(command[0])
	c.log = c.log.With("plugin", name)
	command = slices.Clone(command)
	return newPlugin(name, c, func() (link, error) { return startProcess(command, c) }), nil
}

func newPlugin(name string, c config, start func() (link, error)) *Plugin {
	life, end := context.WithCancel(context.Background())
	return &Plugin{name: name, config: c, start: start, life: life, close: end, turn: make(chan struct{}, 1)}
}

// Close ends the plugin: it closes its standard input, sends SIGTERM after the grace, and kills it, with all processes
// of its process group, after another. Requests without an answer fail. It returns when the process is gone.
func (p *Plugin) Close() error {
	p.close()
	p.turn <- struct{}{}
	if p.session != nil {
		p.session.end(errClosed)
	}
	<-p.turn
	p.alive.Wait()
	return nil
}

// talk returns the session with the plugin, which it starts if need be.
func (p *Plugin) talk(ctx context.Context) (*session, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if p.life.Err() != nil {
		return nil, errClosed
	}
	if p.session != nil {
		if why := p.session.reason(); why == nil {
			return p.session, nil
		} else if err := p.bury(ctx, why); err != nil {
			return nil, err
		}
	}
	if wait := time.Until(p.again); wait > 0 {
		return nil, fmt.Errorf("it is started again in %v: %w", wait.Round(time.Millisecond), p.why)
	}
	return p.launch() //nolint:contextcheck // the process outlives the request that happened to come first
}

// bury waits until the process of a session that is over is gone, and sets when the next one may start.
func (p *Plugin) bury(ctx context.Context, why error) error {
	select {
	case <-p.ended:
	case <-ctx.Done():
		return fmt.Errorf("its process is still ending: %w", why)
	}
	if p.session.over.Sub(p.began) > p.config.most {
		p.fails = 0 // it was well for a while
	}
	p.failed(why, p.session.over)
	p.session = nil
	return nil
}

// failed sets when the plugin may be started again.
func (p *Plugin) failed(why error, at time.Time) {
	rest := p.config.most
	if p.fails < 30 {
		rest = min(rest, p.config.first<<p.fails)
	}
	p.fails++
	p.why, p.again = why, at.Add(rest)
}

// launch starts the process and shakes hands with it.
func (p *Plugin) launch() (*session, error) {
	l, err := p.start()
	if err != nil {
		p.failed(err, time.Now())
		return nil, err
	}
	s := newSession(l, p.config.log, p.config.timeout, p.config.line)
	ended := make(chan struct{})
	p.alive.Go(func() {
		defer close(ended)
		s.run()
		level := slog.LevelWarn
		if errors.Is(s.reason(), errClosed) {
			level = slog.LevelDebug // it was asked to end
		}
		p.config.log.Log(p.life, level, "plugin is gone", "why", s.reason())
	})
	p.session, p.ended, p.began = s, ended, time.Now()
	if err := p.handshake(s); err != nil {
		s.end(err)
		return nil, err
	}
	return s, nil
}

// handshake agrees on the protocol and learns what the plugin can do.
func (p *Plugin) handshake(s *session) error {
	ctx, cancel := context.WithTimeout(p.life, p.config.timeout)
	defer cancel()
	found, _, err := s.ask(ctx, MethodCapabilities, offer{Protocols: []int{Protocol}})
	if err != nil {
		return fmt.Errorf("handshake: %w", err)
	}
	var is agreed
	if err := found.into(&is); err != nil {
		return fmt.Errorf("handshake: %w", err)
	}
	if is.Protocol != Protocol {
		return fmt.Errorf("handshake: %w: it speaks protocol %d, not %d", elasticpool.ErrUnsupported, is.Protocol, Protocol)
	}
	s.methods = is.Methods
	return nil
}
