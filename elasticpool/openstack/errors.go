package openstack

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/internal/osapi"
	"github.com/novacyborg/novacyborg/placement"
)

// classify makes a *elasticpool.CloudError of any error. What has a class already passes unchanged.
func classify(op string, err error) error {
	if err == nil {
		return nil
	}
	if _, done := errors.AsType[*elasticpool.CloudError](err); done {
		return err
	}
	if class := classOfClients(err); class != nil {
		return &elasticpool.CloudError{Op: op, Class: class, Err: err}
	}
	failure, answered := osapi.FailureOf(err)
	if !answered || loginUnreachable(failure, err) {
		return &elasticpool.CloudError{Op: op, Class: elasticpool.ErrTransient, Err: osapi.Transparent(err)}
	}
	words := wordsOf(failure.Body)
	detail := fmt.Sprintf("%d %s", failure.StatusCode, words)
	if id := failure.RequestID(); id != "" {
		detail += " (" + id + ")"
	}
	return &elasticpool.CloudError{Op: op, Class: classOf(failure.StatusCode, words), Detail: strings.TrimSpace(detail), Err: err}
}

// loginUnreachable says that a 401 stayed because Keystone did not answer, or failed, when it was asked for a new token.
func loginUnreachable(failure osapi.Failure, err error) bool {
	if failure.StatusCode != http.StatusUnauthorized {
		return false
	}
	last, answered := errors.AsType[gophercloud.ErrUnexpectedResponseCode](osapi.Transparent(err))
	return !answered || last.Actual >= http.StatusInternalServerError
}

// classOfClients reads the sentinels of our other clients, or is nil.
func classOfClients(err error) error {
	for _, of := range []struct {
		class    error
		sentinel []error
	}{
		{elasticpool.ErrUnauthorized, []error{
			cyborgclient.ErrUnauthorized, cyborgclient.ErrForbidden, cyborgclient.ErrServiceTokenNeeded,
			placement.ErrUnauthorized, placement.ErrForbidden,
		}},
		{elasticpool.ErrInvalid, []error{cyborgclient.ErrNotFound, cyborgclient.ErrAmbiguousProfile, cyborgclient.ErrInvalid}},
		{elasticpool.ErrUnsupported, []error{cyborgclient.ErrVersion, placement.ErrVersion}},
		{elasticpool.ErrInvalid, []error{osapi.ErrNoEndpoint}},
	} {
		for _, sentinel := range of.sentinel {
			if errors.Is(err, sentinel) {
				return of.class
			}
		}
	}
	return nil
}

// classOf judges an answer by its status and, where that says too little, by its words.
func classOf(status int, words string) error {
	byWords := classOfWords(words)
	switch status {
	case http.StatusUnauthorized:
		return elasticpool.ErrUnauthorized
	case http.StatusForbidden:
		// "Policy doesn't allow os_compute_api:os-quota-sets:show to be performed" speaks of quotas and is none.
		if errors.Is(byWords, elasticpool.ErrQuota) && !speaksOfPolicy(words) {
			return elasticpool.ErrQuota
		}
		return elasticpool.ErrUnauthorized
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity:
		return firstError(byWords, elasticpool.ErrInvalid)
	case http.StatusNotAcceptable, http.StatusNotImplemented, http.StatusMethodNotAllowed:
		return elasticpool.ErrUnsupported
	case http.StatusConflict, http.StatusRequestEntityTooLarge:
		return firstError(byWords, elasticpool.ErrTransient)
	}
	return elasticpool.ErrTransient
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func speaksOfPolicy(words string) bool {
	words = strings.ToLower(words)
	return strings.Contains(words, "policy") && strings.Contains(words, "allow")
}

// gone says that an answer was 404.
func gone(err error) bool {
	failure, answered := osapi.FailureOf(err)
	return answered && failure.StatusCode == http.StatusNotFound
}

// notAllowed says that the login's roles do not suffice.
func notAllowed(err error) bool {
	if failure, answered := osapi.FailureOf(err); answered {
		return failure.StatusCode == http.StatusForbidden
	}
	return errors.Is(err, cyborgclient.ErrForbidden) || errors.Is(err, placement.ErrForbidden) ||
		errors.Is(err, cyborgclient.ErrServiceTokenNeeded)
}

// lost says that nobody knows whether a request was carried out: it may have been sent, and there is no answer of the
// service itself. A proxy gives up with 502 and 504.
func lost(err error) bool {
	failure, answered := osapi.FailureOf(err)
	if answered {
		return failure.StatusCode == http.StatusBadGateway || failure.StatusCode == http.StatusGatewayTimeout
	}
	return !osapi.NeverSent(err)
}

// invalid is a class that cannot work, found before anything was sent.
func invalid(op, format string, args ...any) error {
	cause := fmt.Errorf(format, args...)
	return &elasticpool.CloudError{Op: op, Class: elasticpool.ErrInvalid, Detail: cause.Error(), Err: errors.Unwrap(cause)}
}
