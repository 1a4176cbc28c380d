package inventory

import (
	"io"
	"regexp"
	"strings"
)

// ParseLspci reads the output of lspci: with -Dnn, -Dnnk or -Dnnv (names and
// ids, details indented below), -Dn (ids alone) or -Dvmmnn (blocks of keys, with
// -k also the driver). Without -D the domain is 0000. A line of ids may begin
// with the number of the IOMMU group and end with the driver's name. Empty lines
// and lines that begin with # are left out. file is for the errors, which are of
// type [*Error], joined.
func ParseLspci(file string, r io.Reader) ([]Function, error) {
	p := &lspciParser{parser: parser{file: file, lines: make(map[string]int)}}
	err := p.eachLine(r, p.line)
	p.endBlock()
	return p.result(err)
}

// lspciParser reads a line at a time.
type lspciParser struct {
	parser
	// details are the lines below a function; they belong to the last one, and
	// are of no use below one that was not taken.
	details, skipping bool
	block             *block
}

const (
	addressForm = `((?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])`
	idsForm     = `([0-9a-fA-F]{4}):([0-9a-fA-F]{4})`
	// tailForm is what may come after the ids.
	tailForm = `(?: \(rev [0-9a-fA-F]{2}\))?(?: \(prog-if [0-9a-fA-F]{2}(?: \[[^\]]*\])?\))?(?: \(subsystem\))?`
)

var (
	// namedLine is "0000:3b:00.0 3D controller [0302]: NVIDIA … [10de:1eb8] (rev a1)".
	namedLine = regexp.MustCompile(`^` + addressForm + ` (.*?) ?\[([0-9a-fA-F]{4})\]: (.*?) ?\[` + idsForm + `\]` + tailForm + `$`)
	// plainLine is "0000:3b:00.0 0302: 10de:1eb8 (rev a1)" or "15 0000:3b:00.0 0302 10de:1eb8 nvidia".
	plainLine = regexp.MustCompile(`^(?:[0-9]{1,6} )?` + addressForm + ` ([0-9a-fA-F]{4}):?(?: ` + idsForm + `)?` + tailForm + `(?: ([0-9A-Za-z_-]+))?$`)
	// detailLine is what -k and -v print below.
	detailLine = regexp.MustCompile(`^\s+\S`)
	// blockLine is a line of -vmm.
	blockLine = regexp.MustCompile(`^([A-Z][A-Za-z]*):(?:\s+(.*))?$`)
)

func (p *lspciParser) line(number int, line string) {
	if strings.TrimSpace(line) == "" {
		p.endBlock()
		p.details = false
		return
	}
	if strings.HasPrefix(line, "#") {
		return
	}
	if m := blockLine.FindStringSubmatch(line); m != nil {
		p.blockLine(number, line, m[1], m[2])
		return
	}
	p.endBlock()
	if detailLine.MatchString(line) {
		p.detail(number, line)
		return
	}
	p.function(number, line)
}

func (p *lspciParser) function(number int, line string) {
	f := Function{Line: number}
	if m := namedLine.FindStringSubmatch(line); m != nil {
		f.Address, f.ClassName, f.Class, f.Model, f.Vendor, f.Product = m[1], m[2], m[3], m[4], m[5], m[6]
	} else if m := plainLine.FindStringSubmatch(line); m != nil {
		f.Address, f.Class, f.Vendor, f.Product, f.KernelDriver = m[1], m[2], m[3], m[4], m[5]
	} else {
		p.fail(number, line, ErrLine)
		p.details, p.skipping = true, true
		return
	}
	p.details, p.skipping = true, !p.add(f.plain(), line)
}

// detail reads an indented line; all but the driver are of no use.
func (p *lspciParser) detail(number int, line string) {
	if !p.details {
		p.fail(number, line, ErrLine)
		return
	}
	if name, ok := strings.CutPrefix(strings.TrimSpace(line), "Kernel driver in use: "); ok && !p.skipping {
		p.functions[len(p.functions)-1].KernelDriver = name
	}
}

// plain is the function with its ids in lower case and with a domain.
func (f Function) plain() Function {
	for _, text := range []*string{&f.Address, &f.Class, &f.Vendor, &f.Product} {
		*text = strings.ToLower(*text)
	}
	if strings.Count(f.Address, ":") == 1 {
		f.Address = "0000:" + f.Address
	}
	return f
}
