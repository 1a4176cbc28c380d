package quota

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Request is one line of VCondor's VMQuota protocol: {"ResID": "juno"}. The fields beside ResID are an extension.
type Request struct {
	// ResID is the queue ("resource id", in VCondor the resource group).
	ResID string `json:"ResID"`
	// Want asks to lease so many VMs beyond those that run or are leased already. 0 is a query and reserves nothing.
	Want int `json:"WANT,omitempty"`
	// Class is the class that the wanted VMs will be of, "" for any.
	Class string `json:"CLASS,omitempty"`
	// TTL is how many seconds the lease is to hold; 0 and more than the queue's reservation time stand for that.
	TTL int `json:"TTL,omitempty"`
	// Release gives leased VMs back. It does not go together with Want.
	Release Release `json:"RELEASE,omitzero"`
}

// Release names what is given back: a lease (a string on the wire) or a number of VMs of any leases.
type Release struct {
	Lease string
	Units int
}

// MarshalJSON writes the name of the lease, or the number of VMs.
func (r Release) MarshalJSON() ([]byte, error) {
	if r.Lease != "" {
		return json.Marshal(r.Lease)
	}
	return json.Marshal(r.Units)
}

// UnmarshalJSON reads the name of a lease or a positive number of VMs.
func (r *Release) UnmarshalJSON(data []byte) error {
	*r = Release{}
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	if json.Unmarshal(data, &r.Lease) == nil && r.Lease != "" {
		return nil
	}
	if json.Unmarshal(data, &r.Units) == nil && r.Units > 0 {
		return nil
	}
	return errors.New("RELEASE is neither the id of a lease nor a positive number of VMs")
}

// Response answers one Request. VCondor's clients check ResID, MIN and AVAILABLE for their exact types and ignore
// every other key, so these three are always there.
type Response struct {
	// ResID is the queue in upper case, as VCondor's service sends it back, "" when the request named none.
	ResID string `json:"ResID"`
	// Min is the floor of the queue in VMs (lower threshold).
	Min int `json:"MIN"`
	// Available is how many VMs may be launched now; in the answer to WANT, how many were leased.
	Available int `json:"AVAILABLE"`
	// Max is the ceiling in VMs (upper threshold), which VCondor's service never sends.
	Max int `json:"MAX"`
	// Used are the VMs that the queue has.
	Used int `json:"USED"`
	// Fair are the VMs that the queue is due.
	Fair int `json:"FAIR"`
	// Lease is the id of the lease, TTL the seconds until it lapses.
	Lease string `json:"LEASE,omitempty"`
	TTL   int    `json:"TTL,omitempty"`
	// Error says why there is no proper answer.
	Error string `json:"ERROR,omitempty"`
}

// envelope is a request with what proves the right to make it. Nothing but the check of the token reads Token.
type envelope struct {
	Request

	Token string `json:"TOKEN,omitempty"`
}

// longestTTL keeps seconds from overflowing a time.Duration; every queue's reservation time is shorter.
const longestTTL = int(100 * 365 * 24 * time.Hour / time.Second)

// parseRequest reads a stripped line: an object, or an array of one object as on VCondor's slides, which the second
// result tells. Texts of errors hold nothing of the values in the line, since one of them may be a token.
func parseRequest(line []byte) (req envelope, array bool, err error) {
	if array = bytes.HasPrefix(line, []byte("[")); array {
		var elements []json.RawMessage
		if err := json.Unmarshal(line, &elements); err != nil {
			return req, array, parseError(err)
		}
		if len(elements) != 1 {
			return req, array, fmt.Errorf("%w: the array has %d elements instead of one", ErrRequest, len(elements))
		}
		line = elements[0]
	}
	if bytes.Equal(line, []byte("null")) {
		return req, array, fmt.Errorf("%w: null instead of an object", ErrRequest)
	}
	if err := json.Unmarshal(line, &req); err != nil {
		return envelope{}, array, parseError(err)
	}
	req.TTL = min(req.TTL, longestTTL)
	return req, array, req.check()
}

// check tells what is wrong with the fields.
func (r Request) check() error {
	switch {
	case strings.TrimSpace(r.ResID) == "":
		return fmt.Errorf("%w: ResID is missing", ErrRequest)
	case r.Want < 0:
		return fmt.Errorf("%w: WANT is negative", ErrRequest)
	case r.TTL < 0:
		return fmt.Errorf("%w: TTL is negative", ErrRequest)
	case r.Want > 0 && r.Release != (Release{}):
		return fmt.Errorf("%w: WANT and RELEASE in one request", ErrRequest)
	}
	return nil
}

// parseError says what encoding/json found, without the value.
func parseError(err error) error {
	var wrongType *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrongType) && wrongType.Field != "":
		return fmt.Errorf("%w: %s is not of type %s", ErrRequest, wrongType.Field, wrongType.Type)
	case errors.As(err, &wrongType):
		return fmt.Errorf("%w: not a JSON object", ErrRequest)
	case errors.As(err, &syntax):
		return fmt.Errorf("%w: not JSON (byte %d)", ErrRequest, syntax.Offset)
	default:
		return fmt.Errorf("%w: %w", ErrRequest, err)
	}
}

// encode makes the line of an answer, in an array of one when the request was in one.
func (r Response) encode(array bool) ([]byte, error) {
	var v any = r
	if array {
		v = []Response{r}
	}
	line, err := json.Marshal(v)
	return append(line, '\n'), err
}
