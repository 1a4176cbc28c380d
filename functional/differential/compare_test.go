package differential_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// comparer compares answers, apart from the differences that are written down.
type comparer struct {
	names   *names
	written *differences
}

// compare returns how two answers to a step differ, "" if they do not, and pairs the uuids that are new in them.
func (c *comparer) compare(st step, real, fake answer) string {
	realText, realMet := hide(c.written.text(canonical(real)), c.names.real)
	fakeText, fakeMet := hide(c.written.text(canonical(fake)), c.names.fake)
	if realText != fakeText {
		if c.written.excuse(st, realText, fakeText) {
			return ""
		}
		return cmp.Diff(strings.Split(realText, "\n"), strings.Split(fakeText, "\n"))
	}
	for i := range realMet {
		c.names.pair(realMet[i], fakeMet[i])
	}
	return ""
}

// unsteady are the headers that differ in any two answers. That they are there is compared.
var unsteady = []string{"X-Openstack-Request-Id", "Content-Length"}

// canonical writes an answer as text: status, headers by name, body.
func canonical(a answer) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d\n", a.status)
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		values := a.header[name]
		if slices.Contains(unsteady, name) {
			values = []string{"<set>"}
		}
		fmt.Fprintf(&text, "%s: %s\n", name, strings.Join(values, " | "))
	}
	if length := a.header.Get("Content-Length"); length != strconv.Itoa(len(a.body)) && a.status != http.StatusNoContent {
		fmt.Fprintf(&text, "Content-Length %q of %d bytes\n", length, len(a.body))
	}
	text.WriteString("\n" + a.body)
	return text.String()
}
