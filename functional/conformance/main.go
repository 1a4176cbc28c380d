// Command conformance makes docs/conformance.md from what the tests with real peers have said:
//
//	go run ./functional/conformance -write docs/conformance.md RESULTS...    writes the page
//	go run ./functional/conformance -check docs/conformance.md RESULTS...    fails if the page says something else
//	go run ./functional/conformance -stages "lint realstack" -check PAGE RESULTS    looks at the rows of these stages alone
//
// RESULTS are files of "go test -json", one for each stage of CI and named after it: race.json, realstack.json. A file may
// hold the output of several runs, one after the other. claims.yaml says which tests are rows of the page, and against which peer
// they run; a test that knows better says so with t.Attr("operation", …), t.Attr("peer", …) or t.Attr("release", …).
//
// A claim without a test, one whose tests were skipped and one whose tests failed end it with exit code 1.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	write := flags.String("write", "", "`file` to write the page to")
	check := flags.String("check", "", "`file` to compare with")
	stages := flags.String("stages", "", "`names` of the stages that were run, whose claims are looked at; without it all")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if (*write == "") == (*check == "") {
		return errors.New("say -write FILE or -check FILE")
	}
	claims, err := readClaims(claimsFile)
	if err != nil {
		return err
	}
	claims, left := ofStages(claims, *stages)
	for _, stage := range slices.Sorted(maps.Keys(left)) {
		fmt.Fprintf(out, "not looked at: %d claims of the stage %s\n", left[stage], stage)
	}
	results, err := readFiles(flags.Args())
	if err != nil {
		return err
	}
	rows, err := judge(claims, results)
	if err != nil {
		return err
	}
	if *write != "" {
		return os.WriteFile(*write, []byte(page(rows)), 0o644) //nolint:gosec // a page for everybody
	}
	if err := compareFile(*check, rows, len(left) == 0); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s says what the tests say, in %d rows\n", *check, len(rows))
	return err
}

// readFiles reads results; each file is named after its stage.
func readFiles(names []string) (map[string][]result, error) {
	results := make(map[string][]result)
	for _, name := range names {
		text, err := os.ReadFile(name) //nolint:gosec // the file that the user names
		if err != nil {
			return nil, err
		}
		found, err := readResults(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		stage := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		results[stage] = append(results[stage], found...)
	}
	return results, nil
}

func compareFile(name string, rows []row, all bool) error {
	old, err := os.ReadFile(name) //nolint:gosec // the file that the user names
	if err != nil {
		return err
	}
	if missing := compare(string(old), rows, all); len(missing) > 0 {
		return fmt.Errorf("%s is not what the tests say:\n%s", name, strings.Join(missing, "\n"))
	}
	return nil
}
