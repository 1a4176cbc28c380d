package inventory

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// listingLine is a path of sysfs, and what the file holds after a colon or where
// the link points to after an arrow; the path alone is a directory.
var listingLine = regexp.MustCompile(`^(?:.*?/)?devices/([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])/([^:]+?)(?:(?::| -> )(.*))?$`)

// ParseListing reads a listing of the files below /sys/bus/pci/devices, one a
// line, as grep -r or a loop prints them: a path, a colon and the content
// ("/sys/bus/pci/devices/0000:3b:00.0/vendor:0x10de"), or a path, an arrow and
// the target of a link ("…/physfn -> ../0000:3b:00.0"). A file of several lines
// comes once for each. Files that say nothing here are left out, as are empty
// lines and lines that begin with #. file is for the errors, which are of type
// [*Error], joined.
func ParseListing(file string, r io.Reader) ([]Function, error) {
	p := &parser{file: file, lines: make(map[string]int)}
	t := make(tree)
	err := p.eachLine(r, func(number int, line string) {
		if line == "" || strings.HasPrefix(line, "#") {
			return
		}
		p.listingLine(t, number, line)
	})
	functions := t.functions()
	for i := range functions {
		f := &functions[i]
		f.Line = p.lines[f.Address]
		if f.Vendor == "" || f.Product == "" || f.Class == "" {
			p.fail(f.Line, f.Address, fmt.Errorf("%w: the function needs vendor, device and class", ErrLine))
		}
	}
	p.functions = functions
	return p.result(err)
}

func (p *parser) listingLine(t tree, number int, line string) {
	address, name, content, ok := splitListing(line)
	if !ok {
		p.fail(number, line, ErrLine)
		return
	}
	if _, seen := p.lines[address]; !seen {
		p.lines[address] = number
		t.set(address, "", "")
	}
	if !sysfsFile.MatchString(name) {
		return
	}
	if before := t[address][name]; before != "" {
		content = before + "\n" + content
	}
	t.set(address, name, content)
}

// splitListing cuts a line after the address, which has colons itself.
func splitListing(line string) (address, name, content string, ok bool) {
	m := listingLine.FindStringSubmatch(line)
	if m == nil {
		return "", "", "", false
	}
	return strings.ToLower(m[1]), m[2], strings.TrimSpace(m[3]), true
}
