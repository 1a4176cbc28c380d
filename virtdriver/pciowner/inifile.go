package pciowner

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// File is a configuration file of an OpenStack service.
type File struct {
	// Name is for messages.
	Name string
	Text []byte
}

// value is one assignment of an option.
type value struct {
	text   string
	file   string
	line   int
	option option
}

// option is a section and a key. Sections are compared without regard to case,
// DEFAULT excepted.
type option struct{ section, key string }

func (o option) String() string { return "[" + o.section + "]" + o.key }

func (o option) normal() option {
	if o.section != "DEFAULT" {
		o.section = strings.ToLower(o.section)
	}
	return o
}

func (v value) fail(f *fault) error {
	return &Error{File: v.file, Line: v.line, Option: v.option.String(), Detail: f.detail, Err: f.err}
}

// configuration is what files say, each file after the one before it.
type configuration []map[option][]value

// parseConfiguration reads files the way oslo.config does (oslo_config:
// iniparser.py, BaseParser; cfg.py, ConfigParser). All faulty lines are
// reported.
func parseConfiguration(files []File) (configuration, error) {
	var all configuration
	var faults []error
	for _, file := range files {
		p := iniParser{file: file.Name, values: make(map[option][]value)}
		p.parse(string(file.Text))
		all = append(all, p.values)
		faults = append(faults, p.faults...)
	}
	return all, errors.Join(faults...)
}

type iniParser struct {
	file    string
	section string
	values  map[option][]value
	current *value // its text may go on in the next line
	faults  []error
}

func (p *iniParser) parse(text string) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRightFunc(line, pythonSpace)
		switch {
		case line == "":
			p.end()
		case line[0] == ' ' || line[0] == '\t':
			p.proceed(i+1, line)
		default:
			p.end()
			p.line(i+1, line)
		}
	}
	p.end()
}

func (p *iniParser) end() {
	if p.current != nil {
		name := p.current.option.normal()
		p.values[name] = append(p.values[name], *p.current)
	}
	p.current = nil
}

func (p *iniParser) proceed(number int, line string) {
	if p.current == nil {
		p.fail(number, "a continuation line without an option before it: %q", line)
		return
	}
	p.current.text += "\n" + strings.TrimLeftFunc(line, pythonSpace)
}

func (p *iniParser) line(number int, line string) {
	switch line[0] {
	case '#', ';':
	case '[':
		name, ok := strings.CutSuffix(line[1:], "]")
		if !ok || name == "" {
			p.fail(number, "a section is [name]: %q", line)
			return
		}
		p.section = name
	default:
		p.assignment(number, line)
	}
}

func (p *iniParser) assignment(number int, line string) {
	at := strings.IndexAny(line, ":=")
	if at < 0 {
		p.fail(number, "neither = nor : in %q", line)
		return
	}
	key, text := strings.TrimFunc(line[:at], pythonSpace), strings.TrimFunc(line[at+1:], pythonSpace)
	switch {
	case key == "":
		p.fail(number, "the option has no name: %q", line)
		return
	case p.section == "":
		p.fail(number, "an option before the first section: %q", line)
		return
	}
	if text != "" && (text[0] == '"' || text[0] == '\'') && text[0] == text[len(text)-1] {
		text = text[1:max(1, len(text)-1)]
	}
	p.current = &value{text: text, file: p.file, line: number, option: option{p.section, key}}
}

func (p *iniParser) fail(number int, format string, args ...any) {
	f := faultf(ErrSyntax, format, args...)
	p.faults = append(p.faults, &Error{File: p.file, Line: number, Detail: f.detail, Err: f.err})
}

// multi gives all values of an option that may be repeated, in oslo.config's
// order: file by file, and in each the deprecated names first, the last one
// foremost.
func (c configuration) multi(names ...option) []value {
	var all []value
	for _, file := range c {
		for _, name := range slices.Backward(names) {
			all = append(all, file[name.normal()]...)
		}
	}
	return all
}

// last gives the value that counts of an option that may not be repeated.
func (c configuration) last(name option) (value, bool) {
	all := c.multi(name)
	if len(all) == 0 {
		return value{}, false
	}
	return all[len(all)-1], true
}

// list reads a comma separated option (oslo_config: types.py, List).
func (c configuration) list(name option) []string {
	v, _ := c.last(name)
	text := strings.TrimRight(strings.TrimFunc(v.text, pythonSpace), ",")
	if text == "" {
		return nil
	}
	items := strings.Split(text, ",")
	for i := range items {
		items[i] = strings.TrimFunc(items[i], pythonSpace)
	}
	return items
}

// flag reads a boolean option (oslo_config: types.py, Boolean).
func (c configuration) flag(name option) (bool, error) {
	v, ok := c.last(name)
	if !ok {
		return false, nil
	}
	switch strings.ToLower(strings.TrimFunc(v.text, pythonSpace)) {
	case "true", "1", "on", "yes":
		return true, nil
	case "false", "0", "off", "no":
		return false, nil
	}
	return false, v.fail(faultf(ErrValue, "%q is neither true nor false", v.text))
}

// dollar is a reference to another option, or a dollar sign that stands for
// itself (oslo_config: cfg.py, ConfigOpts.Template).
var dollar = regexp.MustCompile(`(?i)\$(?:(\$)|([_a-z][._a-z0-9]*)|\{([_a-z][._a-z0-9]*)\})`)

// substitute makes oslo.config's template substitution in values.
func substitute(values []value) ([]value, error) {
	var faults []error
	done := slices.Clone(values)
	for i, v := range values {
		text := strings.ReplaceAll(v.text, `\$`, "$$")
		done[i].text = dollar.ReplaceAllStringFunc(text, func(match string) string {
			if match == "$$" {
				return "$"
			}
			faults = append(faults, v.fail(faultf(ErrValue, "it refers to the option %s; write that option's value, or $$ for a dollar sign", match)))
			return match
		})
	}
	return done, errors.Join(faults...)
}

// pythonSpace says what Python's strip takes away.
func pythonSpace(r rune) bool {
	return strings.ContainsRune(" \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2028\u2029\u202f\u205f\u3000", r) || r >= '\u2000' && r <= '\u200a'
}
