package inventory

import (
	"fmt"
	"regexp"
	"strings"
)

// block is one function of lspci -vmm, which ends with an empty line.
type block struct {
	line     int
	function Function
	vendor   string
	seen     map[string]bool
	bad      bool
}

// namedID is "3D controller [0302]" or the id alone.
var namedID = regexp.MustCompile(`^(?:(.*) \[([0-9a-fA-F]{4})\]|([0-9a-fA-F]{4}))$`)

var wholeAddress = regexp.MustCompile(`^` + addressForm + `$`)

func (p *lspciParser) blockLine(number int, line, key, value string) {
	if p.block == nil {
		p.block = &block{line: number, seen: make(map[string]bool)}
		p.block.function.Line = number
	}
	if p.block.bad = p.block.bad || !p.block.read(key, value); p.block.bad && !p.block.seen["reported"] {
		p.block.seen["reported"] = true
		p.fail(number, line, ErrLine)
	}
}

// read takes one key; the ones that say nothing here are left out.
func (b *block) read(key, value string) bool {
	if b.seen[key] && key != "Module" {
		return false
	}
	b.seen[key] = true
	f := &b.function
	ok := true
	switch key {
	case "Slot":
		ok = wholeAddress.MatchString(value)
		f.Address = value
	case "Class":
		f.ClassName, f.Class, ok = splitID(value)
	case "Vendor":
		b.vendor, f.Vendor, ok = splitID(value)
	case "Device":
		f.Model, f.Product, ok = splitID(value)
	case "Driver":
		f.KernelDriver = value
	}
	return ok
}

func splitID(text string) (name, id string, ok bool) {
	m := namedID.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2] + m[3], true
}

// endBlock takes the function of a block.
func (p *lspciParser) endBlock() {
	b := p.block
	p.block = nil
	if b == nil || b.bad {
		return
	}
	for _, key := range []string{"Slot", "Class", "Vendor", "Device"} {
		if !b.seen[key] {
			p.fail(b.line, b.function.Address, fmt.Errorf("%w: the block has no %s", ErrLine, key))
			return
		}
	}
	b.function.Model = strings.TrimSpace(b.vendor + " " + b.function.Model)
	p.add(b.function.plain(), b.function.Address)
}
