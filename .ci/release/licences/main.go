// Command licences lists the modules whose code is in the packages and programs of this project, with their licences:
//
//	licences -write docs/licences.md    writes the list
//	licences -check docs/licences.md    compares it with the file
//	licences -copy LICENSES             copies the files themselves, for those who give the programs away
//
// The licences are read from the files that the modules come with. One that is not on the list of those allowed, or a
// module without any, ends it with exit code 1.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	write := flag.String("write", "", "`file` to write")
	check := flag.String("check", "", "`file` to compare with")
	copies := flag.String("copy", "", "`folder` to copy the licence files to")
	flag.Parse()
	if err := run(*write, *check, *copies); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(write, check, copies string) error {
	modules, err := linked()
	if err != nil {
		return err
	}
	rows, err := rowsOf(modules)
	if err != nil {
		return err
	}
	switch {
	case write != "":
		return os.WriteFile(write, []byte(page(rows)), 0o644) //nolint:gosec // a page for everybody
	case check != "":
		return compare(check, rows)
	case copies != "":
		return copyFiles(copies, rows)
	}
	return errors.New("say -write FILE, -check FILE or -copy FOLDER")
}

// compare checks that a page lists the rows.
func compare(check string, rows []row) error {
	text := page(rows)
	old, err := os.ReadFile(check)
	if err != nil {
		return err
	}
	if string(old) != text {
		return fmt.Errorf("%s is stale:\n%s\nmend it with: make licences", check, difference(string(old), text))
	}
	fmt.Printf("%s is up to date: %d modules\n", check, len(rows))
	return nil
}

// copyFiles copies every licence file to a folder named after its module.
func copyFiles(folder string, rows []row) error {
	for _, r := range rows {
		for _, file := range r.files {
			text, err := os.ReadFile(filepath.Join(r.module.Dir, file))
			if err != nil {
				return err
			}
			to := filepath.Join(folder, r.module.Path, file)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // for everybody
				return err
			}
			if err := os.WriteFile(to, text, 0o644); err != nil { //nolint:gosec // for everybody
				return err
			}
		}
	}
	return nil
}

// difference names the lines that only one of the two pages has.
func difference(old, now string) string {
	var lines []string
	for line := range strings.Lines(old) {
		if !strings.Contains(now, line) {
			lines = append(lines, "- "+strings.TrimSpace(line))
		}
	}
	for line := range strings.Lines(now) {
		if !strings.Contains(old, line) {
			lines = append(lines, "+ "+strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "\n")
}
