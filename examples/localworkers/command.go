package main

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// command is a list of templates, one for each argument.
type command []*template.Template

// set reads a command line: parts between blanks. Blanks inside {{ }} do not divide.
func (c *command) set(text string) error {
	*c = nil
	for _, part := range argument.FindAllString(text, -1) {
		if err := c.add(part); err != nil {
			return err
		}
	}
	if len(*c) == 0 {
		return errors.New("empty command")
	}
	return nil
}

// add adds one argument.
func (c *command) add(text string) error {
	parsed, err := template.New("").Option("missingkey=error").Parse(text)
	if err != nil {
		return err
	}
	// a trial, since what a template asks of Extra is not known before there is a class
	if err := parsed.Execute(io.Discard, values{Extra: map[string]string{}}); err != nil && !strings.Contains(err.Error(), "map has no entry") {
		return err
	}
	*c = append(*c, parsed)
	return nil
}

// argument is a part of a command line: no blanks but inside {{ }}.
var argument = regexp.MustCompile(`(?:\{\{.*?\}\}|\S)+`)

// fill returns the arguments for a server.
func (c command) fill(v values) ([]string, error) {
	arguments := make([]string, len(c))
	for i, part := range c {
		var text strings.Builder
		if err := part.Execute(&text, v); err != nil {
			return nil, err
		}
		arguments[i] = text.String()
	}
	return arguments, nil
}

// values are what templates see.
type values struct {
	VM, Name, Pool, Queue, Class, Zone  string
	CPUs, MemoryMB, DiskMB, GPUs, FPGAs int64
	Extra                               map[string]string

	tags map[string]string
}

// valuesOf returns the values of a server: its worker's size is the slot of its class, and what its class takes if it tells no slot.
func valuesOf(spec elasticpool.ServerSpec) values {
	size := spec.Class.Slot
	if len(size) == 0 {
		size = spec.Class.Takes
	}
	return values{
		VM: spec.VM, Name: spec.Name, Pool: spec.Pool, Queue: spec.Queue, Class: spec.Class.Name, Zone: spec.Class.Zone,
		CPUs: max(1, size[elasticpool.CPUs]), MemoryMB: size[elasticpool.Memory], DiskMB: size[elasticpool.Disk],
		GPUs: size[elasticpool.GPUs], FPGAs: size[elasticpool.FPGAs], Extra: spec.Class.Extra, tags: spec.Tags(),
	}
}

// environment returns the variables that tell a command of its server.
func (v values) environment() ([]string, error) {
	tags, err := json.Marshal(v.tags)
	if err != nil {
		return nil, err
	}
	var set []string
	for _, pair := range []struct{ key, value string }{
		{"VM", v.VM},
		{"NAME", v.Name},
		{"POOL", v.Pool},
		{"QUEUE", v.Queue},
		{"CLASS", v.Class},
		{"CPUS", strconv.FormatInt(v.CPUs, 10)},
		{"MEMORY_MB", strconv.FormatInt(v.MemoryMB, 10)},
		{"DISK_MB", strconv.FormatInt(v.DiskMB, 10)},
		{"GPUS", strconv.FormatInt(v.GPUs, 10)},
		{"FPGAS", strconv.FormatInt(v.FPGAs, 10)},
		{"TAGS", string(tags)},
	} {
		set = append(set, "ELASTICPOOL_"+pair.key+"="+pair.value)
	}
	return set, nil
}
