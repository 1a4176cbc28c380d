package main

import (
	"context"
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
func (r *report) step(_ context.Context, s lifecycle.Step) {
	line := stepLine{Number: s.ID, Step: s.ID.String(), Undo: s.Undo, Host: s.Host, Duration: s.Duration}
	if s.Err != nil {
		line.Error = s.Err.Error()
	}
	r.steps = append(r.steps, line)
	if r.asJSON {
		return
	}
	verb := "step"
	switch {
	case s.Undo:
		verb = "undo"
	case s.Op == "delete":
		verb = "free"
	}
	outcome := "" // the error itself is the program's last line
	if s.Err != nil {
		outcome = "failed"
	}
	fmt.Fprintf(r.out, "%s %d  %-16s %10s  %s %s\n", verb, s.ID, line.Step, s.Duration.Round(time.Microsecond), s.Host, outcome)
}

// print shows the result; providers maps each requester id to the name of its provider.
func (r *report) print(created *lifecycle.Result, providers map[string]string) error {
	if r.asJSON {
		return r.printJSON(created, providers)
	}
	fmt.Fprintf(r.out, "\nquery\n  %s\n\nhost\n  %s\n\nproviders\n", created.Request.Query(), created.Record.Now.Host)
	for _, id := range created.Request.RequesterIDs() {
		fmt.Fprintf(r.out, "  %s  %s\n", id, providers[id])
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
		handle := arq.AttachHandle
		fmt.Fprintf(table, "  %s\t%d\t%s\t%s\t%s\t%s %v:%v:%v.%v\n", arq.UUID, arq.DeviceProfileGroupID, arq.State, arq.Hostname,
			arq.DeviceRPUUID, handle.Type, handle.Info["domain"], handle.Info["bus"], handle.Info["device"], handle.Info["function"])
	}
	return table.Flush()
}

func (r *report) printJSON(created *lifecycle.Result, providers map[string]string) error {
	encoder := json.NewEncoder(r.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{
		"steps":     r.steps,
		"query":     created.Request.Query(),
		"candidate": created.Candidate,
		"providers": providers,
		"arqs":      created.ARQs,
		"record":    created.Record,
		"domain":    string(created.Composition.XML),
	})
}
