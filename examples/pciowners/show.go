package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/novacyborg/novacyborg/virtdriver/pciowner"
)

// show prints the report.
func show(a arguments, report *pciowner.Report, out io.Writer) error {
	if a.json {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(report)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DEVICE\tIDS\tOWNER\tBECAUSE OF\tIN PLACEMENT")
	hidden := 0
	for _, row := range report.Rows {
		if row.Verdict == pciowner.ByHost && len(row.Providers) == 0 && !a.all {
			hidden++
			continue
		}
		fmt.Fprintf(table, "%s\t%s:%s\t%s\t%s\t%s\n", row.Device.Address, row.Device.Vendor, row.Device.Product, row.Verdict, sources(row), providers(row))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if hidden > 0 {
		fmt.Fprintf(out, "%d more devices are left to the host; -all lists them\n", hidden)
	}
	if len(report.Findings) > 0 {
		fmt.Fprintln(out)
	}
	for _, f := range report.Findings {
		word := "note"
		if f.Conflict {
			word = "CONFLICT"
		}
		if _, err := fmt.Fprintf(out, "%s: %s: %s\n", word, f.Kind, f.Message); err != nil {
			return err
		}
	}
	return nil
}

func sources(row pciowner.Row) string {
	var all []string
	for _, claim := range row.Claims {
		all = append(all, claim.Source)
	}
	return cmp.Or(strings.Join(all, ", "), "-")
}

func providers(row pciowner.Row) string {
	var names []string
	for _, p := range row.Providers {
		names = append(names, p.Name)
	}
	return cmp.Or(strings.Join(names, ", "), "-")
}
