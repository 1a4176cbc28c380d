package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// result is what became of one test that has no tests below it.
type result struct {
	pkg, test string // the package without the module's path, the test with its parents
	outcome   string // pass, fail or skip
	attrs     map[string]string
	running   bool // it has begun and not ended
}

// event is one line of go test -json.
type event struct {
	Action, Package, Test, Key, Value string
}

const module = "github.com/novacyborg/novacyborg/"

// readResults reads the output of go test -json. Of a test that ran twice the worse outcome counts.
func readResults(r io.Reader) ([]result, error) {
	found, order := make(map[string]*result), []string(nil)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for number := 1; lines.Scan(); number++ {
		if !strings.HasPrefix(lines.Text(), "{") {
			continue // what a script around the tests has printed
		}
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if e.Test == "" {
			continue
		}
		name := e.Package + " " + e.Test
		if found[name] == nil {
			found[name] = &result{pkg: strings.TrimPrefix(e.Package, module), test: e.Test, attrs: make(map[string]string)}
			order = append(order, name)
		}
		found[name].take(e)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return leaves(found, order), nil
}

// take notes what a line says of a test.
func (r *result) take(e event) {
	switch e.Action {
	case "attr":
		r.attrs[e.Key] = e.Value
	case "run":
		r.running = true
	case "pass", "fail", "skip":
		r.running = false
		if r.outcome == "" || r.outcome == "pass" {
			r.outcome = e.Action
		}
	}
}

// leaves leaves out tests that have others below them, unless they themselves failed, and hands attributes down.
func leaves(found map[string]*result, order []string) []result {
	parents := make(map[string]bool)
	for _, name := range order {
		for above := range ancestors(name) {
			parents[above] = true
		}
	}
	var results []result
	for _, name := range order {
		r := found[name]
		if r.running {
			r.outcome = "fail" // it was killed, or panicked
		}
		if parents[name] && r.outcome != "fail" {
			continue
		}
		for above := range ancestors(name) {
			if found[above] == nil {
				continue
			}
			for key, value := range found[above].attrs {
				if r.attrs[key] == "" {
					r.attrs[key] = value
				}
			}
		}
		results = append(results, *r)
	}
	return results
}

// ancestors yields the tests that a test is part of, the nearest first.
func ancestors(name string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for at := strings.LastIndex(name, "/"); at > strings.Index(name, " "); at = strings.LastIndex(name[:at], "/") {
			if !yield(name[:at]) {
				return
			}
		}
	}
}
