package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

// resolve finds what the values of flags stand for. What only a file can tell is
// left to [serve].
func (s *settings) resolve() (err error) {
	if s.mode, err = findMode(s.auth); err != nil {
		return err
	}
	if err := s.mode.check(*s); err != nil {
		return err
	}
	if s.place, err = findMount(s.mount); err != nil {
		return err
	}
	if s.plays, err = findRelease(s.release); err != nil {
		return err
	}
	if s.now, err = findClock(s.clock); err != nil {
		return err
	}
	if s.endpoint, err = resolveListen(s.listen, s.expose); err != nil {
		return err
	}
	_, badLimit := journal.New(s.journal)
	_, badLog := newLogger(nil, s.logFormat, s.logLevel)
	err = firstOf(s.manners.resolve(s.state), s.checkTLS(), s.checkURLs(), badLimit, badLog, s.checkWaits(), s.checkPartners(), s.checkSocket())
	if err != nil {
		return err
	}
	s.nova, err = withComputeVersion(s.nova)
	return err
}

// firstOf is the first error: there is one line for it.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *settings) checkTLS() error {
	made, own := s.tlsCAFile != "", s.tlsCert != "" || s.tlsKey != ""
	switch {
	case made && own && s.check == "":
		return errors.New("-tls-ca-file makes a certificate, -tls-cert brings one: take one of the two")
	case own && (s.tlsCert == "" || s.tlsKey == ""):
		return errors.New("-tls-cert and -tls-key need each other: give both")
	}
	return nil
}

// checkSocket refuses what a Unix socket cannot be used for.
func (s *settings) checkSocket() error {
	if s.cloudsFile != "" && s.endpoint.network == "unix" {
		return errors.New("-clouds-file: what reads a clouds.yaml cannot call a socket: take an address such as -listen 127.0.0.1:0")
	}
	return nil
}

func (s *settings) checkWaits() error {
	for _, flag := range []struct {
		name  string
		value time.Duration
	}{{"placement-wait", s.placementWait}, {"shutdown-wait", s.shutdownWait}, {"report-interval", s.reportInterval}} {
		if flag.value < 0 {
			return fmt.Errorf("-%s %s: want 0s or more", flag.name, flag.value)
		}
	}
	return nil
}

// findClock returns the clock that the value of -clock asks for, nil for the true one.
func findClock(text string) (func() time.Time, error) {
	if text == "" {
		return nil, nil
	}
	if offset, err := time.ParseDuration(text); err == nil {
		return func() time.Time { return time.Now().Add(offset) }, nil
	}
	fixed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, fmt.Errorf("-clock %q: want a time such as 2026-01-02T03:04:05Z or a duration such as +24h", text)
	}
	return func() time.Time { return fixed }, nil
}
