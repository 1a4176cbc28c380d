package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// healthPath is where the fake tells whether it is ready.
const healthPath = "/_fake/health"

// serve runs until the context ends. Requests that are still open after the time
// of -shutdown-wait are cut off, which the log tells and which is no error.
func serve(ctx context.Context, s settings, stdout, stderr io.Writer) (err error) {
	logger, err := newLogger(stderr, s.logFormat, s.logLevel)
	if err != nil {
		return err
	}
	made, listener, err := prepare(ctx, s, logger)
	if err != nil {
		return err
	}
	defer made.cyborg.Close()
	base := baseURL(s.scheme(), listener.Addr())
	logger.Info("listening", "at", listener.Addr().String(), "health", base+healthPath)
	logLoaded(made.cyborg, logger)
	if s.nova != "" {
		logger.Info("events go to Nova", "at", s.nova)
	}
	clients := newConnections()
	front := newFront(made.handler, clients, logger)
	ended := make(chan error, 1)
	go func() { ended <- front.Serve(listener) }()

	switch err = report(ctx, s, made.cyborg, logger); {
	case ctx.Err() != nil: // told to end while it waited
	case err != nil:
		return errors.Join(err, front.Close())
	default:
		if err := announce(stdout, s, made, listener.Addr(), base); err != nil {
			return errors.Join(err, front.Close())
		}
		defer func() { err = errors.Join(err, withdrawAddress(s.addressFile, addressText(listener.Addr(), base))) }()
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	return shutDown(ctx, front, clients, s.shutdownWait, logger)
}

// prepare reads all files, then listens, then touches what another fake may use: bad
// files are told before a busy port, and a second start with the same flags does not
// harm the fake that runs.
func prepare(ctx context.Context, s settings, logger *slog.Logger) (assembly, net.Listener, error) {
	own, err := s.ownCertificate()
	if err = firstOf(checkAddressFile(s.addressFile), err); err != nil {
		return assembly{}, nil, err
	}
	pieces, err := gather(ctx, s, logger)
	if err != nil {
		return assembly{}, nil, s.orPreset(err)
	}
	made, err := pieces.assemble(s.trial()...)
	if err != nil {
		return assembly{}, nil, s.orPreset(err)
	}
	listener, err := s.endpoint.open(ctx)
	if err != nil {
		made.cyborg.Close()
		return assembly{}, nil, err
	}
	if s.state != "" {
		made.cyborg.Close()
		made, err = pieces.assemble(fakecyborg.WithStateFile(s.state))
		if err != nil {
			return assembly{}, nil, errors.Join(err, listener.Close())
		}
	}
	secured, err := s.occupy(listener, own)
	if err != nil {
		made.cyborg.Close()
		return assembly{}, nil, errors.Join(err, listener.Close())
	}
	return made, secured, nil
}

// occupy adds TLS to the listener, and takes away the address of an earlier run.
func (s *settings) occupy(listener net.Listener, own *tls.Certificate) (net.Listener, error) {
	secured, err := s.secure(listener, own)
	if err != nil {
		return nil, err
	}
	return secured, withdrawAddress(s.addressFile, "")
}

// trial are the options of servers that are made to see whether they can be, before
// those with the file of -state take their place.
func (s *settings) trial() []fakecyborg.Option {
	if s.state == "" {
		return nil
	}
	return []fakecyborg.Option{fakecyborg.WithLogger(slog.New(slog.DiscardHandler))}
}

func newFront(handler http.Handler, clients *connections, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           intake(clients.watch(handler), bodyTimeout),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		ConnState:         clients.changed,
		ConnContext:       clients.remember,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// report makes the fake ready, once a Placement elsewhere answers.
func report(ctx context.Context, s settings, cyborg *fakecyborg.Server, logger *slog.Logger) error {
	if s.placement != "" && s.placement != embedded {
		if err := awaitPlacement(ctx, s, logger); err != nil {
			return err
		}
		limited, cancel := context.WithTimeout(ctx, max(s.placementWait, minReportTime))
		defer cancel()
		ctx = limited
	}
	return cyborg.Report(ctx)
}

// addressText is what -address-file gets: the URL, or unix: and the path of the
// socket, which -check takes as well.
func addressText(address net.Addr, base string) string {
	if address.Network() == "unix" {
		return unixPrefix + address.String()
	}
	return base
}

// announce tells what is served where, once it is.
func announce(stdout io.Writer, s settings, made assembly, address net.Addr, base string) error {
	below := "/accelerator"
	if s.place == fakecyborg.MountBare {
		below = ""
	}
	if address.Network() == "unix" {
		fmt.Fprintf(stdout, "socket     %s\n", address)
	}
	fmt.Fprintf(stdout, "cyborg     %s%s\n", base, below)
	if s.placement == embedded {
		fmt.Fprintf(stdout, "placement  %s%s\n", base, embeddedPath)
	}
	if made.identity != nil {
		fmt.Fprintf(stdout, "keystone   %s%s/v3\n", base, made.identity.Prefix())
	}
	fmt.Fprintf(stdout, "health     %s%s\n", base, healthPath)
	if err := announceClouds(stdout, s, made.identity, address, base); err != nil {
		return err
	}
	if s.addressFile == "" {
		return nil
	}
	return replaceFile(s.addressFile, []byte(addressText(address, base)+"\n"), everybodyReads)
}

func shutDown(ctx context.Context, front *http.Server, clients *connections, wait time.Duration, logger *slog.Logger) error {
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
	defer cancel()
	clients.end()
	err := front.Shutdown(waiting)
	for _, client := range clients.unfinished() {
		logger.Warn("cut off", "client", client)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return front.Close()
	}
	return err
}
