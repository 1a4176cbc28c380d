package elasticpool

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// ReplayDiff is a decision that a controller does not make as the log says.
type ReplayDiff struct {
	Line   int      `json:"line"`   // of the log, from 1
	Differ []string `json:"differ"` // PATH: LOGGED, now NOW
}

func (d ReplayDiff) String() string { return fmt.Sprintf("line %d: %q", d.Line, d.Differ) }

// Replay reads a decision log, lets a new [Controller] decide on its inputs, and returns where it decides otherwise. So
// the log of any run is a test. An error names the line that cannot be read.
func Replay(r io.Reader) ([]ReplayDiff, error) {
	lines := bufio.NewReaderSize(r, 1<<16)
	var diffs []ReplayDiff
	var controller *Controller
	for number := 1; ; number++ {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(text) == 0 {
			return diffs, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return diffs, fmt.Errorf("decision log: line %d: %w", number, err)
		}
		differ, err := replayLine(&controller, text)
		if err != nil {
			return diffs, fmt.Errorf("decision log: line %d: %w", number, err)
		}
		if len(differ) > 0 {
			diffs = append(diffs, ReplayDiff{Line: number, Differ: differ})
		}
	}
}

// replayLine replays a line, and returns what differs.
func replayLine(controller **Controller, text []byte) ([]string, error) {
	var line logLine
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, err
	}
	switch {
	case line.Policy != nil && line.State != nil:
		next, err := NewController(*line.Policy, *line.State)
		*controller = next
		return nil, err
	case line.Input == nil || line.Decision == nil:
		return nil, errors.New("it has neither policy and state nor input and decision")
	case *controller == nil:
		return nil, errors.New("no line with policy and state is before it")
	}
	return differences(*line.Decision, (*controller).Decide(*line.Input))
}

// differences returns where two decisions differ in their JSON.
func differences(logged, now Decision) ([]string, error) {
	a, err := json.Marshal(logged)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(now)
	if err != nil || bytes.Equal(a, b) {
		return nil, err
	}
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		return nil, err
	}
	return differ(nil, "", x, y), nil
}

// differ appends where two JSON values differ.
func differ(list []string, path string, x, y any) []string {
	switch a := x.(type) {
	case map[string]any:
		if b, same := y.(map[string]any); same {
			keys := slices.Collect(maps.Keys(a))
			for key := range b {
				if _, both := a[key]; !both {
					keys = append(keys, key)
				}
			}
			slices.Sort(keys)
			for _, key := range keys {
				list = differ(list, path+"."+key, a[key], b[key])
			}
			return list
		}
	case []any:
		if b, same := y.([]any); same && len(a) == len(b) {
			for i := range a {
				list = differ(list, fmt.Sprintf("%s[%d]", path, i), a[i], b[i])
			}
			return list
		}
	}
	if s, t := fmt.Sprint(x), fmt.Sprint(y); s != t {
		list = append(list, fmt.Sprintf("%s: %s, now %s", path, s, t))
	}
	return list
}
