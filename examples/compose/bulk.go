package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// hostdevCase is one line of input.
type hostdevCase struct {
	VirtType string            `json:"virt_type"`
	ARQs     []json.RawMessage `json:"arqs"`
}

// answer is one line of output.
type answer struct {
	Devices  []string      `json:"devices"`
	Ignored  bool          `json:"ignored"`
	Mediated []createdMdev `json:"created_mdevs,omitempty"`
}

type createdMdev struct {
	Parent string `json:"parent"`
	Type   string `json:"type"`
	UUID   string `json:"uuid"`
}

// refusal is a line of output in the place of an answer. It is also an error.
type refusal struct {
	Code    string `json:"error"`
	Message string `json:"message,omitempty"`
}

// Error gives the code and what is wrong.
func (r refusal) Error() string { return r.Code + ": " + r.Message }

// The codes that the recorded cases have.
const (
	codeMissing  = "missing_field"
	codeBadField = "bad_field"
	codeBadInput = "bad_input"
)

// answerLines answers each line of the input by one line. Empty lines are passed over. It stops when ctx has ended.
func answerLines(ctx context.Context, in io.Reader, out io.Writer, reply func(hostdevCase) (answer, error)) error {
	reader := bufio.NewReader(in)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for number := 1; ; number++ {
		line, readErr := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
			if err := encoder.Encode(answerLine(line, number, reply)); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(readErr, io.EOF):
			return nil
		case readErr != nil:
			return fmt.Errorf("standard input: %w", readErr)
		}
	}
}

func answerLine(line []byte, number int, reply func(hostdevCase) (answer, error)) any {
	var c hostdevCase
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&c)
	if err == nil && decoder.More() {
		err = errors.New("more than one JSON value")
	}
	if err != nil {
		return refusal{codeBadInput, fmt.Sprintf("line %d: %v", number, err)}
	}
	a, err := reply(c)
	if refused, ok := errors.AsType[refusal](err); ok {
		return refused
	}
	if err != nil {
		return refusal{code(err), err.Error()}
	}
	if a.Devices == nil {
		a.Devices = []string{}
	}
	a.Ignored = len(c.ARQs) > 0 && len(a.Devices) == 0
	return a
}
