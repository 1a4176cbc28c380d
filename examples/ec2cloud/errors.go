package main

import (
	"errors"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// classes are the classes of EC2's error codes. Codes that begin with Invalid, Missing, Unknown or Unsupported and are not here are
// ErrInvalid, those that end with LimitExceeded are ErrQuota.
var classes = map[string]error{
	"InsufficientInstanceCapacity":         elasticpool.ErrCapacity,
	"InsufficientHostCapacity":             elasticpool.ErrCapacity,
	"InsufficientReservedInstanceCapacity": elasticpool.ErrCapacity,
	"InsufficientCapacity":                 elasticpool.ErrCapacity,
	"InsufficientFreeAddressesInSubnet":    elasticpool.ErrCapacity,
	"UnfulfillableCapacity":                elasticpool.ErrCapacity,
	"SpotMaxPriceTooLow":                   elasticpool.ErrCapacity,

	"MaxSpotInstanceCountExceeded": elasticpool.ErrQuota,
	"ResourceCountExceeded":        elasticpool.ErrQuota,

	"UnauthorizedOperation":      elasticpool.ErrUnauthorized,
	"AuthFailure":                elasticpool.ErrUnauthorized,
	"AccessDenied":               elasticpool.ErrUnauthorized,
	"Blocked":                    elasticpool.ErrUnauthorized,
	"ExpiredToken":               elasticpool.ErrUnauthorized,
	"IncompleteSignature":        elasticpool.ErrUnauthorized,
	"InvalidClientTokenId":       elasticpool.ErrUnauthorized,
	"MissingAuthenticationToken": elasticpool.ErrUnauthorized,
	"OptInRequired":              elasticpool.ErrUnauthorized,
	"PendingVerification":        elasticpool.ErrUnauthorized,
	"RequestExpired":             elasticpool.ErrUnauthorized,
	"SignatureDoesNotMatch":      elasticpool.ErrUnauthorized,

	"IncorrectInstanceState": elasticpool.ErrTransient,
	notFound:                 elasticpool.ErrTransient, // it is not known everywhere yet

	"IdempotentParameterMismatch":  elasticpool.ErrUnknownOutcome, // it was asked for before, in other words
	"IdempotentInstanceTerminated": elasticpool.ErrUnknownOutcome,

	"ValidationError":   elasticpool.ErrInvalid,
	"VPCIdNotSpecified": elasticpool.ErrInvalid,
}

// notFound says that there is no such instance, or that it is too new.
const notFound = "InvalidInstanceID.NotFound"

// throttled are codes for too many requests.
var throttled = map[string]bool{
	"RequestLimitExceeded": true, "Throttling": true, "ThrottlingException": true, "EC2ThrottledException": true, "RequestThrottled": true,
}

// fault gives an error of EC2 its class. creates is set if an instance may have been made.
func fault(op string, creates bool, err error) error {
	found := &elasticpool.CloudError{Op: op, Class: classOf(creates, err), Err: err}
	if answered, ok := errors.AsType[*apiError](err); ok {
		found.Detail = answered.Error()
	}
	return found
}

func classOf(creates bool, err error) error {
	code := codeOf(err)
	if class, known := classes[code]; known {
		return class
	}
	for _, prefix := range []string{"Invalid", "Missing", "Unknown", "Unsupported"} {
		if strings.HasPrefix(code, prefix) {
			return elasticpool.ErrInvalid
		}
	}
	switch {
	case throttled[code]:
		return elasticpool.ErrTransient
	case errors.Is(err, errCredentials):
		return elasticpool.ErrUnauthorized
	case strings.HasSuffix(code, "LimitExceeded"):
		return elasticpool.ErrQuota
	case creates:
		return elasticpool.ErrUnknownOutcome // lost answers, InternalError, Unavailable
	}
	return elasticpool.ErrTransient
}

// codeOf returns EC2's code; empty: it has not answered.
func codeOf(err error) string {
	if answered, ok := errors.AsType[*apiError](err); ok {
		return answered.Code
	}
	return ""
}
