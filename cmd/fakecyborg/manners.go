package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// manners are flags that change how the fake behaves, each with an option of
// package fakecyborg.
type manners struct {
	connectionClose, noChunkedBodies, proxyHeaders bool
	carefulReports, newPolicies                    bool
	publicEndpoint, eventForm, uuidSeed            string

	// form is the form of events, nil for that of the release.
	form *fakecyborg.EventForm
}

// eventForms are the values of -event-form.
var eventForms = map[string]fakecyborg.EventForm{
	"profile": fakecyborg.EventsPerProfile, "request": fakecyborg.EventsPerRequest, "spec": fakecyborg.EventsOfSpec,
}

// resolve finds what the values stand for; state is that of -state.
func (m *manners) resolve(state string) error {
	if m.uuidSeed != "" && state != "" {
		return errors.New("-uuid-seed gives the same ids after a restart, -state has them already: take one of the two")
	}
	if m.eventForm == "" {
		return nil
	}
	form, known := eventForms[m.eventForm]
	if !known {
		return fmt.Errorf("-event-form %q: unknown, known are profile, request, spec", m.eventForm)
	}
	m.form = &form
	return nil
}

func (m *manners) options() []fakecyborg.Option {
	var opts []fakecyborg.Option
	for _, given := range []struct {
		on     bool
		option func() fakecyborg.Option
	}{
		{m.connectionClose, fakecyborg.WithConnectionClose},
		{m.noChunkedBodies, fakecyborg.WithoutChunkedBodies},
		{m.proxyHeaders, fakecyborg.WithProxyHeaders},
		{m.carefulReports, fakecyborg.WithCarefulReports},
		{m.newPolicies, fakecyborg.WithNewPolicies},
	} {
		if given.on {
			opts = append(opts, given.option())
		}
	}
	if m.publicEndpoint != "" {
		opts = append(opts, fakecyborg.WithPublicEndpoint(m.publicEndpoint))
	}
	if m.form != nil {
		opts = append(opts, fakecyborg.WithEventForm(*m.form))
	}
	if m.uuidSeed != "" {
		opts = append(opts, fakecyborg.WithUUIDs(rand.NewChaCha8(sha256.Sum256([]byte(m.uuidSeed)))))
	}
	return opts
}
