package opennebula

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Codes of oned's errors (include/Request.h: ErrorCode).
const (
	codeAuthentication = 0x0100
	codeAuthorization  = 0x0200
	codeNoExists       = 0x0400
	codeAPI            = 0x1000
	codeInternal       = 0x2000
	codeAllocate       = 0x4000
	codeReplication    = 0x10000
)

// Codes of faults (xmlrpc-c: xmlrpc-c/base.h) that say that oned has not taken the call.
const (
	faultNoMethod = -506
	faultRefused  = -507
)

// faultsOfCalls say that the call is wrong: types, syntax, length, UTF-8.
var faultsOfCalls = []int{-501, -503, -509, -510}

// oneError is an error that oned has answered.
type oneError struct {
	code int64
	text string
}

func (e *oneError) Error() string { return fmt.Sprintf("error %#x: %s", e.code, e.text) }

// quotaText is of src/um/Quota.cc (Quota::check_quota); capacityText is of src/vnm and src/image: no address, no room, no port.
var (
	quotaText    = regexp.MustCompile(`(?i)limit of \S+ reached for \S+ quota`)
	capacityText = regexp.MustCompile(`(?i)cannot get .*lease|not enough (space|capacity)|no free .*(ports?|lease|address)|no host with enough`)
)

// isCode tells whether oned has answered with that code.
func isCode(err error, code int64) bool {
	one, ok := errors.AsType[*oneError](err)
	return ok && one.code == code
}

// fault gives an error its class. creates is set if the call may have made a VM.
func fault(op string, creates bool, err error) error {
	class := classOf(creates, err)
	detail := ""
	if one, ok := errors.AsType[*oneError](err); ok {
		detail = one.text
	}
	return &elasticpool.CloudError{Op: op, Class: class, Detail: detail, Err: err}
}

func classOf(creates bool, err error) error {
	if one, ok := errors.AsType[*oneError](err); ok {
		return one.class(creates)
	}
	if f, ok := errors.AsType[*rpcFault](err); ok {
		return f.class(creates)
	}
	if creates && !errors.Is(err, errUnsent) {
		return elasticpool.ErrUnknownOutcome
	}
	return elasticpool.ErrTransient
}

// class returns the class of an answered error.
func (e *oneError) class(creates bool) error {
	switch {
	case e.code == codeAuthentication:
		return elasticpool.ErrUnauthorized
	case quotaText.MatchString(e.text):
		return elasticpool.ErrQuota
	case capacityText.MatchString(e.text):
		return elasticpool.ErrCapacity
	}
	switch e.code {
	case codeAuthorization:
		if creates { // we are known, and may not use this template, image or attribute
			return elasticpool.ErrInvalid
		}
		return elasticpool.ErrUnauthorized
	case codeNoExists, codeAPI, codeAllocate:
		return elasticpool.ErrInvalid
	case codeInternal, codeReplication:
		if creates { // it fails after the VM was made, too
			return elasticpool.ErrUnknownOutcome
		}
	}
	return elasticpool.ErrTransient // 0x0800: its state does not allow it now; 0x8000: it is locked
}

// class returns the class of a fault.
func (f *rpcFault) class(creates bool) error {
	switch {
	case f.code == faultRefused:
		return elasticpool.ErrTransient
	case f.code == faultNoMethod:
		return elasticpool.ErrUnsupported
	case slices.Contains(faultsOfCalls, f.code):
		return elasticpool.ErrInvalid
	case creates:
		return elasticpool.ErrUnknownOutcome
	}
	return elasticpool.ErrTransient
}
