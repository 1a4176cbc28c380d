package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// apache is the project's own licence file.
func apache(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const isc = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR
CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT,
NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
`

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string
		err   string
	}{
		{name: "one", files: map[string]string{"LICENSE": apache(t), "main.go": "package main"}, want: "Apache-2.0"},
		{name: "two and a notice", files: map[string]string{"LICENSE": apache(t), "LICENCE-isc.txt": isc, "NOTICE": "by us"}, want: "Apache-2.0 ISC"},
		{name: "none", files: map[string]string{"README.md": "free for all"}, err: "no licence file"},
		{name: "one nobody knows", files: map[string]string{"COPYING": "Ask Bob before you use this, he may say no."}, err: "known licence"},
		{name: "not allowed", files: map[string]string{"LICENSE": "SPDX-License-Identifier: AGPL-3.0-only\n"}, err: "licence"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range test.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			rows, err := rowsOf([]module{{Path: "example.org/m", Version: "v1.0.0", Dir: dir, folders: []string{"."}}})
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error %v, want %q", err, test.err)
			}
			if got := strings.Join(rows[0].licences, " "); err == nil && got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if err == nil && !strings.Contains(page(rows), "| `example.org/m` | v1.0.0 | "+strings.ReplaceAll(test.want, " ", ", ")+" | ") {
				t.Errorf("no row in the page:\n%s", page(rows))
			}
		})
	}
}

func TestLicencesThatMayNotBeLinked(t *testing.T) {
	t.Parallel()
	const agpl = "This program is free software: you can redistribute it and/or modify it under the terms of the GNU Affero General " +
		"Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version."
	if names, err := licencesIn([]byte(agpl)); err == nil || !strings.Contains(err.Error(), "none of") {
		t.Errorf("got %v, error %v", names, err)
	}
}

func TestFoldersOf(t *testing.T) {
	t.Parallel()
	got := strings.Join(foldersOf("/module", filepath.Join("/module", "inner", "part")), " ")
	if want := ". " + filepath.Join("inner", "part") + " inner"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	if got := difference("a\nb\n", "b\nc\n"); got != "- a\n+ c" {
		t.Errorf("got %q", got)
	}
}
