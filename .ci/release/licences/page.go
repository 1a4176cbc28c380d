package main

import (
	"fmt"
	"strings"
)

const head = `# Licences of dependencies

Whose code is in the packages and programs of this module, tests left out. Each module comes with the files named, which hold its licence
and notices. Whoever gives away a program that is built from them passes these files on.
The list is made by ` + "`make licences`" + ` from the modules themselves, and CI fails when it is stale or a licence is none of those allowed:
%s.

| module | version | licence | files |
|---|---|---|---|
`

const tail = `
Go's own library, which every program has in it, is under BSD-3-Clause. The modules below ` + "`examples/`" + ` that have a ` + "`go.mod`" + ` of their own
need more; they are not part of a release.
`

// page writes the Markdown.
func page(rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, head, strings.Join(allowed, ", "))
	for _, r := range rows {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.module.Path, r.module.Version,
			strings.Join(r.licences, ", "), strings.Join(r.files, ", "))
	}
	b.WriteString(tail)
	return b.String()
}
