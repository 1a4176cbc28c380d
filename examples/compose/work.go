package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// What -do takes.
const (
	doCompose = "compose"
	doRemove  = "remove"
	doReplace = "replace"
	doPlug    = "plug"
	doUnplug  = "unplug"
)

var doings = []string{doCompose, doRemove, doReplace, doPlug, doUnplug}

var policies = map[string]virtdriver.Policy{"fail": virtdriver.Fail, "skip": virtdriver.Skip, "report": virtdriver.Report}

// outcome is what an operation gives: the text to be printed, the mediated devices that must be created before, and
// what is to be said.
type outcome struct {
	text     []byte
	mediated []virtdriver.MediatedDevice
	notes    []string
}

var operations = map[string]func(in input, opts []virtdriver.ComposeOption) (outcome, error){
	doCompose: func(in input, opts []virtdriver.ComposeOption) (outcome, error) {
		return composed(virtdriver.Compose(in.domain, in.arqs, opts...))
	},
	doReplace: func(in input, opts []virtdriver.ComposeOption) (outcome, error) {
		return composed(virtdriver.Replace(in.domain, in.before, in.arqs, opts...))
	},
	doRemove: func(in input, opts []virtdriver.ComposeOption) (outcome, error) {
		removed, err := virtdriver.Decompose(in.domain, in.arqs, opts...)
		if err != nil {
			return outcome{}, err
		}
		o := outcome{text: removed.XML, notes: named("the domain has no device of ARQ %s", removed.Absent)}
		return o.reporting(removed.Reports), nil
	},
	doPlug: func(in input, opts []virtdriver.ComposeOption) (outcome, error) {
		return fragments(virtdriver.HotPlug(in.domain, in.arqs, opts...))
	},
	doUnplug: func(in input, opts []virtdriver.ComposeOption) (outcome, error) {
		o, err := fragments(virtdriver.HotUnplug(in.domain, in.arqs, opts...))
		o.mediated = nil // they are there
		return o, err
	},
}

func composed(c *virtdriver.Composition, err error) (outcome, error) {
	if err != nil {
		return outcome{}, err
	}
	o := outcome{text: c.XML, mediated: c.Mediated, notes: named("ARQ %s gives no device", c.Skipped)}
	return o.reporting(c.Reports), nil
}

func (o outcome) reporting(reports []error) outcome {
	for _, report := range reports {
		o.notes = append(o.notes, report.Error())
	}
	return o
}

func fragments(list []virtdriver.Fragment, err error) (outcome, error) {
	if err != nil {
		return outcome{}, err
	}
	var o outcome
	var b strings.Builder
	b.WriteString("<devices>\n")
	for _, f := range list {
		b.WriteString(indented(f.XML))
		if f.Mediated != nil {
			o.mediated = append(o.mediated, *f.Mediated)
		}
	}
	b.WriteString("</devices>\n")
	o.text = []byte(b.String())
	return o, nil
}

// indented puts a fragment two blanks deep. Its first line begins with the element; the others, of a live XML, as deep as
// they are there.
func indented(fragment string) string {
	lines := slices.Collect(strings.Lines(fragment))
	last := lines[len(lines)-1]
	depth := last[:len(last)-len(strings.TrimLeft(last, " \t"))]
	for i, line := range lines {
		lines[i] = "  " + strings.TrimPrefix(line, depth)
	}
	return strings.Join(lines, "")
}

func named(format string, arqs []cyborgclient.ARQ) []string {
	var notes []string
	for _, arq := range arqs {
		notes = append(notes, fmt.Sprintf(format, arq.UUID))
	}
	return notes
}

// work reads the files, does what -do says and prints the outcome.
func (a arguments) work(ctx context.Context, stdin io.Reader, out, stderr io.Writer) error {
	in, opts, err := a.read(ctx, stdin)
	if err != nil {
		return err
	}
	o, err := operations[a.do](in, opts)
	if err != nil {
		return err
	}
	for _, m := range o.mediated {
		o.notes = append(o.notes, fmt.Sprintf("mediated device %s of type %s must be created on %s before", m.UUID, m.Type, m.Parent))
		if a.mdevs != "" {
			if err := os.WriteFile(filepath.Join(a.mdevs, m.UUID+".xml"), []byte(m.XML()), 0o600); err != nil {
				return err
			}
		}
	}
	for _, note := range o.notes {
		fmt.Fprintln(stderr, "note:", note)
	}
	_, err = out.Write(o.text)
	return err
}
