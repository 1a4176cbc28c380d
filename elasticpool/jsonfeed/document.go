package jsonfeed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// document is what a feed reads. Durations are written as people write them.
type document struct {
	Jobs     *[]jobGroup          `json:"jobs"`
	Workers  *[]worker            `json:"workers"`
	Since    elasticpool.Duration `json:"since"`
	Interval elasticpool.Duration `json:"interval"`
}

type jobGroup struct {
	elasticpool.JobGroup

	Runtime elasticpool.Duration `json:"runtime"`
}

type worker struct {
	elasticpool.Worker

	Jobs []job `json:"jobs"`
}

type job struct {
	elasticpool.Job

	Runtime elasticpool.Duration `json:"runtime"`
}

// parse reads a document whole. Its errors name the line and column, or the key.
func parse(text []byte, from string) (*document, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var found *document
	err := decoder.Decode(&found)
	at := decoder.InputOffset()
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	case errors.Is(err, io.EOF):
		err = errors.New("it is empty; no jobs are written as {\"jobs\": []}")
	case err == nil && found == nil:
		err = errors.New("it is null")
	case err == nil:
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more after the document")
		}
	}
	if err != nil {
		line, column := place(text, at)
		return nil, fmt.Errorf("jsonfeed: %s:%d:%d: %w", from, line, column, err)
	}
	return found, nil
}

// place returns the line and column of an offset, from 1 on.
func place(text []byte, offset int64) (line, column int) {
	before := text[:min(max(0, offset), int64(len(text)))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// mostJobs are in one group, so that sums of them do not overflow.
const mostJobs = 1 << 31

// jobs returns the groups of the document, which must have them.
func (d *document) jobs(from string) ([]elasticpool.JobGroup, error) {
	if d.Jobs == nil {
		return nil, fmt.Errorf("jsonfeed: %s: jobs are missing", from)
	}
	groups := make([]elasticpool.JobGroup, len(*d.Jobs))
	for i, group := range *d.Jobs {
		where := fmt.Sprintf("jsonfeed: %s: jobs[%d]", from, i)
		if group.Queue == "" {
			return nil, fmt.Errorf("%s: queue is missing", where)
		}
		if min(group.Idle, group.Running, group.Held, group.Hidden) < 0 || group.Runtime < 0 {
			return nil, fmt.Errorf("%s: a number is negative", where)
		}
		if max(group.Idle, group.Running, group.Held, group.Hidden) > mostJobs {
			return nil, fmt.Errorf("%s: more than %d jobs", where, mostJobs)
		}
		if err := positive(group.Request); err != nil {
			return nil, fmt.Errorf("%s: request: %w", where, err)
		}
		groups[i] = group.JobGroup
		groups[i].Runtime = time.Duration(group.Runtime)
	}
	return groups, nil
}

// workers returns the workers of the document, which must have them.
func (d *document) workers(from string) (elasticpool.Workers, error) {
	if d.Workers == nil {
		return elasticpool.Workers{}, fmt.Errorf("jsonfeed: %s: workers are missing", from)
	}
	found := elasticpool.Workers{Since: d.Since.D(), Interval: d.Interval.D()}
	seen := map[string]int{}
	for i, w := range *d.Workers {
		where := fmt.Sprintf("jsonfeed: %s: workers[%d]", from, i)
		if w.VM == "" || w.Name == "" {
			return elasticpool.Workers{}, fmt.Errorf("%s: vm and name are needed", where)
		}
		if other, twice := seen[w.VM]; twice {
			return elasticpool.Workers{}, fmt.Errorf("%s: vm %s is workers[%d] too", where, w.VM, other)
		}
		seen[w.VM] = i
		if w.Heard.IsZero() {
			return elasticpool.Workers{}, fmt.Errorf("%s: heard is missing", where)
		}
		if err := errors.Join(positive(w.Total), positive(w.Free)); err != nil {
			return elasticpool.Workers{}, fmt.Errorf("%s: %w", where, err)
		}
		for _, one := range w.Jobs {
			one.Job.Runtime = one.Runtime.D()
			w.Worker.Jobs = append(w.Worker.Jobs, one.Job)
		}
		found.List = append(found.List, w.Worker)
	}
	return found, nil
}

func positive(amounts elasticpool.Resources) error {
	for name, amount := range amounts {
		if amount < 0 {
			return fmt.Errorf("%s is negative", name)
		}
	}
	return nil
}
