package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/novacyborg/novacyborg/lifecycle"
)

// report is what a run found and did.
type report struct {
	Findings []lifecycle.Finding `json:"findings"`
	Repaired []outcome           `json:"repaired,omitempty"`
	// Remaining is what is found afterwards.
	Remaining []lifecycle.Finding `json:"remaining"`
}

// outcome is what became of a finding.
type outcome struct {
	Finding lifecycle.Finding `json:"finding"`
	Left    string            `json:"left,omitempty"`
	Error   string            `json:"error,omitempty"`
	// Domain is the domain XML to start the guest from.
	Domain string `json:"domain,omitempty"`
}

func outcomeOf(done lifecycle.Repaired) outcome {
	o := outcome{Finding: done.Finding, Left: done.Left}
	if done.Err != nil {
		o.Error = done.Err.Error()
	}
	if done.Result != nil && done.Result.Composition != nil {
		o.Domain = string(done.Result.Composition.XML)
	}
	return o
}

func (o outcome) text() string {
	switch {
	case o.Error != "":
		return "failed: " + o.Error
	case o.Left != "":
		return "left: " + o.Left
	}
	return "repaired"
}

// wrong says that something is to be done. What may be Nova's is not.
func (r *report) wrong() bool {
	return slices.ContainsFunc(r.Remaining, func(f lifecycle.Finding) bool { return f.Kind != lifecycle.FindingForeign })
}

func (r *report) print(asJSON bool, out io.Writer) error {
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	if len(r.Findings) == 0 {
		_, err := fmt.Fprintln(out, "nothing is wrong")
		return err
	}
	if err := table(out, r.Findings); err != nil {
		return err
	}
	for i, o := range r.Repaired {
		if i == 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%-22s  %s  %s\n", o.Finding.Kind, subject(o.Finding), o.text())
		if o.Domain != "" {
			fmt.Fprintln(out, o.Domain)
		}
	}
	if len(r.Repaired) > 0 && len(r.Remaining) > 0 {
		fmt.Fprint(out, "\nafterwards\n\n")
		return table(out, r.Remaining)
	}
	return nil
}

// table shows findings, each with its reason and what Repair would do about it.
func table(out io.Writer, findings []lifecycle.Finding) error {
	columns := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "KIND\tINSTANCE\tARQ\tPROVIDER\tHOST\tWHY\tREPAIR")
	for _, f := range findings {
		fmt.Fprintf(columns, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.Kind, dash(f.Instance), dash(f.ARQ), dash(f.Provider), dash(f.Host), f.Why, dash(f.Repair))
	}
	return columns.Flush()
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func subject(f lifecycle.Finding) string {
	if f.ARQ != "" {
		return "ARQ " + f.ARQ
	}
	return "instance " + f.Instance
}
