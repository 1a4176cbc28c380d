package execcloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// maxDetail is how many bytes of an error's detail are kept.
const maxDetail = 2000

var null = []byte("null")

// parseAnswer reads a line of a plugin. An answer has an id and either a result or an error; other keys are ignored,
// so that later versions may add some.
func parseAnswer(line []byte) (answer, error) {
	var read struct {
		answer
		ID *int64 `json:"id"`
	}
	if err := json.Unmarshal(line, &read); err != nil {
		return answer{}, fmt.Errorf("not an answer: %w", err)
	}
	if read.ID == nil {
		return answer{}, errors.New("an answer without id")
	}
	found := read.answer
	found.ID = *read.ID
	if bytes.Equal(found.Result, null) {
		found.Result = nil
	}
	if (found.Result == nil) == (found.Error == nil) {
		return found, errUnclear
	}
	if found.Error != nil {
		found.Error.Detail = cut(found.Error.Detail, maxDetail)
	}
	return found, nil
}

// errUnclear is of an answer whose id is known and whose meaning is not.
var errUnclear = errors.New("an answer must have either a result or an error")

// parseRequest reads a line of a pool.
func parseRequest(line []byte) (request, error) {
	var found request
	if err := json.Unmarshal(line, &found); err != nil {
		return found, fmt.Errorf("not a request: %w", err)
	}
	switch {
	case found.ID <= 0:
		return found, fmt.Errorf("request with id %d: must be above 0", found.ID)
	case found.Method == "":
		return found, fmt.Errorf("request %d has no method", found.ID)
	case found.TimeoutMS < 0:
		return found, fmt.Errorf("request %d: timeout_ms is negative", found.ID)
	}
	return found, nil
}

// cloudClasses are the classes of errors that a cloud may have.
var cloudClasses = []error{
	elasticpool.ErrQuota, elasticpool.ErrCapacity, elasticpool.ErrInvalid, elasticpool.ErrUnauthorized,
	elasticpool.ErrTransient, elasticpool.ErrUnknownOutcome, elasticpool.ErrUnsupported,
}

// class returns the class that the error's word stands for; every word that is no cloud's is ErrTransient.
func (e *wireError) class() error {
	if found := elasticpool.ErrorOfWord(e.Class); slices.Contains(cloudClasses, found) {
		return found
	}
	return elasticpool.ErrTransient
}

// cut returns at most limit bytes of text, and says so.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return string(bytes.ToValidUTF8([]byte(text[:limit]), nil)) + " …"
}
