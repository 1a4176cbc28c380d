package fakecyborg

import (
	"log/slog"
	"net/http"
	"sync"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

// Server is a Cyborg in memory: API, conductor and agents in one. It is an
// [http.Handler] and safe for concurrent use. Make one with [New] or [Start].
type Server struct {
	release  Release
	policies Policies
	routes   router
	store    *store
	reporter *reporter
	drivers  map[string][]driver.Driver
	careful  bool
	// reports lets one thing at a time change what is reported.
	reports       sync.Mutex
	notifier      *notifier
	logger        *slog.Logger
	authenticator Authenticator
	// images are those of the options, nil for none.
	images  driver.Images
	mount   Mount
	front   front
	faults  *faults.Set
	journal *journal.Journal
	jobs    *jobs
	// loading holds one token while a seed is loaded.
	loading   chan struct{}
	keeper    *keeper
	url       string
	transport memoryTransport

	closing sync.Once
	closed  func()
	// silence ends the periodic reports.
	silence func()
}

// New makes a server that listens nowhere: use it as a handler, or through
// [Server.Transport]. With [WithPlacement] call [Server.Report] yourself:
// until then nothing is in Placement and the server is not ready ([Start] does it).
// Errors come from options, or name the place in the seed.
func New(opts ...Option) (*Server, error) {
	config, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	store, err := newStore(config)
	if err != nil {
		return nil, err
	}
	if err := checkFaults(config.seed.Faults, config.place); err != nil {
		return nil, err
	}
	record, err := journal.New(config.journal)
	if err != nil {
		return nil, err
	}
	s := &Server{
		release:       config.release,
		policies:      config.policies(),
		routes:        newRouter(routesOf(config.release)),
		authenticator: config.authenticator,
		images:        config.images,
		mount:         config.mount,
		front:         config.front,
		store:         store,
		reporter:      newReporter(config),
		drivers:       config.drivers,
		careful:       config.careful,
		notifier:      newNotifier(config),
		logger:        config.logger,
		faults:        faults.NewSet(operations()...),
		journal:       record,
		jobs:          newJobs(),
		loading:       make(chan struct{}, 1),
		url:           memoryURL,
		closed:        func() {},
	}
	s.notifier.faults, s.notifier.journal, s.notifier.jobs = s.faults, record, s.jobs
	s.store.agents, s.store.progress = s, s.newProgress(config.seed.unreported())
	if err := s.keepState(config.stateFile); err != nil {
		return nil, err
	}
	s.periodically(config.reportInterval)
	if err := s.faults.Replace(s.store.seed.Faults...); err != nil {
		return nil, err
	}
	if service, ok := s.authenticator.(IdentityService); ok {
		service.SetClock(s.store.clock.now)
	}
	s.transport.handler = s
	return s, nil
}

// URL is the base address of a started server, "http://127.0.0.1:34567", to
// which clients append /v2 or /accelerator/v2. A server made by [New] has a
// name that only [Server.Transport] resolves.
func (s *Server) URL() string { return s.url }

// Transport answers requests in this process, without sockets: for tests in
// testing/synctest bubbles. The host of the request's URL does not matter.
// Requests end when their context ends.
func (s *Server) Transport() http.RoundTripper { return &s.transport }

// Close ends a started server and drops its connections. Calling it again, or
// on a server made by [New], does nothing.
func (s *Server) Close() {
	s.closing.Do(func() {
		s.silence()
		s.jobs.end()
		s.closed()
	})
}
