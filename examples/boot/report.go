package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
)

// report prints what a run does, step by step as text or at the end as JSON.
type report struct {
	out    io.Writer
	asJSON bool
	steps  []stepLine
}

type stepLine struct {
	Number   lifecycle.StepID `json:"number"`
	Step     string           `json:"step"`
	Undo     bool             `json:"undo,omitempty"`
	Host     string           `json:"host,omitempty"`
	Duration time.Duration    `json:"nanoseconds"`
	Error    string           `json:"error,omitempty"`
}

func newReport(out io.Writer, asJSON bool) *report { return &report{out: out, asJSON: asJSON} }

// step is told of every finished step.
func (r *report) step(s lifecycle.Step) {
	line := stepLine{Number: s.ID, Step: s.ID.String(), Undo: s.Undo, Host: s.Host, Duration: s.Duration}
	if s.Err != nil {
		line.Error = s.Err.Error()
	}
	r.steps = append(r.steps, line)
	if r.asJSON {
		return
	}
	verb := "step"
	if s.Undo {
		verb = "undo"
	}
	fmt.Fprintf(r.out, "%s %d  %-24s %10s  %s %s\n", verb, s.ID, line.Step, s.Duration.Round(time.Microsecond), s.Host, line.Error)
}

// print shows the result.
func (r *report) print(created *lifecycle.Created) error {
	if r.asJSON {
		return r.printJSON(created)
	}
	fmt.Fprintf(r.out, "\nquery\n  %s\n\nhost\n  %s\n\nproviders\n", created.Request.Query(), created.Record.Hostname)
	for _, id := range created.Request.RequesterIDs() {
		provider, err := created.Candidate.Provider(id)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.out, "  %s  %s\n", id, provider)
	}
	fmt.Fprintln(r.out, "\naccelerator requests")
	if err := printARQs(r.out, created.ARQs); err != nil {
		return err
	}
	_, err := fmt.Fprintf(r.out, "\ndomain XML\n%s\n", created.Composition.XML)
	return err
}

func printARQs(out io.Writer, arqs []cyborgclient.ARQ) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  uuid\tgroup\tstate\thost\tprovider\thandle")
	for _, arq := range arqs {
		fmt.Fprintf(table, "  %s\t%d\t%s\t%s\t%s\t%s %v\n", arq.UUID, arq.DeviceProfileGroupID, arq.State,
			arq.Hostname, arq.DeviceRPUUID, arq.AttachHandle.Type, arq.AttachHandle.Info)
	}
	return table.Flush()
}

func (r *report) printJSON(created *lifecycle.Created) error {
	encoder := json.NewEncoder(r.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{
		"steps":     r.steps,
		"query":     created.Request.Query(),
		"candidate": created.Candidate,
		"arqs":      created.ARQs,
		"record":    created.Record,
		"domain":    string(created.Composition.XML),
	})
}
