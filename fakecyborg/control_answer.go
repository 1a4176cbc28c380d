package fakecyborg

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// controlAnswer is an answer of the control API.
type controlAnswer struct {
	status      int
	contentType string
	body        []byte
	// allow is the Allow header of a 405.
	allow string
}

// controlError is the body of every refusal.
type controlError struct {
	Error string `json:"error"`
	// Place is the file, line and key, or the query parameter, that is wrong.
	Place string `json:"place,omitempty"`
}

func jsonAnswer(status int, value any) controlAnswer {
	body, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return refuseControl(http.StatusInternalServerError, "", err)
	}
	return controlAnswer{status: status, contentType: "application/json", body: append(body, '\n')}
}

func noContent() controlAnswer {
	return controlAnswer{status: http.StatusNoContent, contentType: "application/json"}
}

func refuseControl(status int, place string, err error) controlAnswer {
	return jsonAnswer(status, controlError{Error: err.Error(), Place: place})
}

// refuseInput is the 400 of a body that is wrong; errors with a place show it.
func refuseInput(err error) controlAnswer {
	if wrong, ok := errors.AsType[*faults.Error](err); ok {
		return refuseControl(http.StatusBadRequest, wrong.Place, wrong.Err)
	}
	if wrong, ok := errors.AsType[*SeedError](err); ok {
		return refuseControl(http.StatusBadRequest, wrong.Place, wrong.Err)
	}
	return refuseControl(http.StatusBadRequest, "body", err)
}

// read returns the body, or the refusal of one that is too long.
func (c *controlCall) read() ([]byte, *controlAnswer) {
	data, err := io.ReadAll(io.LimitReader(c.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, new(refuseControl(http.StatusBadRequest, "body", err))
	case len(data) > maxBody:
		return nil, new(refuseControl(http.StatusRequestEntityTooLarge, "body", fmt.Errorf("longer than %d bytes", maxBody)))
	}
	return data, nil
}
