package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg"
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
	if s.plays, err = fakecyborg.FindRelease(s.release); err != nil {
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
	return firstOf(s.manners.resolve(s.state), s.checkTLS(), s.checkURLs(), badLimit, badLog, s.checkWaits())
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
	case s.tlsName != "" && !made:
		return errors.New("-tls-names is about the certificate of -tls-ca-file: add that")
	}
	return nil
}

func (s *settings) checkURLs() error {
	for _, flag := range []struct{ name, value string }{{"placement", s.placement}, {"nova", s.nova}, {"public-endpoint", s.manners.publicEndpoint}, {"keystone", s.keystone}, {"check", s.check}} {
		if flag.value == "" || flag.name == "placement" && flag.value == embedded || flag.name == "check" && strings.HasPrefix(flag.value, unixPrefix) {
			continue
		}
		u, err := url.Parse(flag.value)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return fmt.Errorf("-%s %q: want an URL such as http://127.0.0.1:8774", flag.name, withoutUser(flag.value))
		}
		if u.User != nil {
			return fmt.Errorf("-%s: the URL must hold neither user nor password, which logs would show", flag.name)
		}
	}
	return nil
}

// withoutUser leaves out what may be user and password in what should be an URL.
func withoutUser(text string) string {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		return "(hidden)" + text[at:]
	}
	return text
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
