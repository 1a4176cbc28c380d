package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/novacyborg/novacyborg/internal/casefile"
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

// codeBadInput is the code word of a line that cannot be read.
const codeBadInput = "bad_input"

func failed(err error) answer {
	return answer{Error: cmp.Or(requestspec.Code(err), codeBadInput), Message: err.Error()}
}

// answerLines answers each line of the input by one line. Empty lines are passed over. It stops when ctx
// has ended.
func answerLines[C any](ctx context.Context, mode casefile.Mode, in io.Reader, out io.Writer, reply func(C) answer) error {
	reader := bufio.NewReader(in)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for number := 1; ; number++ {
		line, readErr := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var c C
			a := answer{Error: codeBadInput}
			if err := casefile.Decode(line, &c, mode); err != nil {
				a.Message = err.Error()
			} else {
				a = reply(c)
				if err := ctx.Err(); err != nil {
					return fmt.Errorf("line %d: %w", number, err)
				}
			}
			if a.Error == codeBadInput {
				a.Message = fmt.Sprintf("line %d: %s", number, a.Message)
			}
			if err := encoder.Encode(a); err != nil {
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
