package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/novacyborg/novacyborg/requestspec"
)

// answer is one line of output. Only what is set is written.
type answer struct {
	Query        *string              `json:"query,omitempty"`
	Mapping      *map[string][]string `json:"mapping,omitempty"`
	ARQProviders *map[string]string   `json:"arq_providers,omitempty"`
	Error        string               `json:"error,omitempty"`
	Message      string               `json:"message,omitempty"`
	Findings     []string             `json:"findings,omitempty"`
}

func failed(err error) answer { return answer{Error: requestspec.Code(err), Message: err.Error()} }

// answerLines answers each line of the input by one line. Empty lines are passed over.
func answerLines[C any](in io.Reader, out io.Writer, reply func(C) answer) error {
	reader := bufio.NewReader(in)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, readErr := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := encoder.Encode(answerLine(line, reply)); err != nil {
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

func answerLine[C any](line []byte, reply func(C) answer) answer {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var c C
	if err := decoder.Decode(&c); err != nil {
		return answer{Error: "bad_input", Message: err.Error()}
	}
	return reply(c)
}
