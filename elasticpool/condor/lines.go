package condor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// columns returns what is printed of each job by -af:V, : first two numbers of the caller, then further numbers, then
// texts. Texts come last because they are whatever users write, and HTCondor does not escape all of it.
func (p *Pool) columns(first, second string) []string {
	columns := []string{first, second, "ClusterId", "ProcId", "JobUniverse", "MinHosts"}
	for _, ask := range p.requests {
		columns = append(columns, ask.attribute)
	}
	if p.config.Runtime != "" {
		columns = append(columns, p.config.Runtime)
	}
	columns = append(columns, p.config.Queue)
	for _, ask := range p.requests {
		if ask.require != "" {
			columns = append(columns, "unparse("+ask.require+")") // evaluated by itself it is undefined
		}
	}
	return columns
}

// eachLine reads the lines of columns one by one. use must not keep the row's slices.
func (p *Pool) eachLine(from io.Reader, use func(r row, special [2]int64) error) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 1<<16), 1<<22)
	r := row{amounts: make([]int64, len(p.requests)), requires: make([]string, len(p.requests))}
	for n := 1; lines.Scan(); n++ {
		special, err := p.readLine(lines.Text(), &r)
		if err == nil {
			err = use(r, special)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return lines.Err()
}

const separator = ", "

// readLine reads one line into r.
func (p *Pool) readLine(line string, r *row) (special [2]int64, err error) {
	next := func() (text string) {
		text, line, _ = strings.Cut(line, separator)
		return text
	}
	var fixed [6]int64
	for i := range fixed {
		if fixed[i], err = fixedNumber(next()); err != nil {
			return special, err
		}
	}
	special = [2]int64(fixed[:2])
	*r = row{
		id: jobID(fixed[2], fixed[3]), universe: fixed[4], hosts: fixed[5], amounts: r.amounts, requires: r.requires,
	}
	for i := range p.requests {
		amount, ok := valueNumber(next())
		r.amounts[i], r.never = amount, r.never || !ok
	}
	if p.config.Runtime != "" {
		runtime, _ := valueNumber(next())
		r.runtime = max(0, runtime)
	}
	texts := splitTexts(line)
	r.queue = texts[0]
	for i, ask := range p.requests {
		if r.requires[i] = ""; ask.require != "" {
			if texts = texts[1:]; len(texts) == 0 {
				return special, errors.New("texts are missing")
			}
			r.requires[i] = texts[0]
		}
	}
	return special, nil
}

// fixedNumber reads a number that HTCondor itself sets; undefined counts as 0, as MinHosts may be.
func fixedNumber(text string) (int64, error) {
	if text == "undefined" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q is no number", text)
	}
	return n, nil
}

// valueNumber reads a request's value: -1 if it is absent; false if it is neither a number nor absent.
func valueNumber(text string) (int64, bool) {
	if text == "undefined" {
		return -1, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return -1, false
	}
	return max(0, roundUp(f)), true
}

// splitTexts reads strings in HTCondor's old form, where a backslash escapes a quotation mark and nothing else.
func splitTexts(line string) []string {
	var texts []string
	for {
		text, rest := oneText(line)
		texts = append(texts, text)
		if rest == "" {
			return texts
		}
		line = strings.TrimPrefix(rest, separator)
	}
}

// oneText reads the text that line begins with, and returns what follows. What has no quotation marks (undefined) is
// empty; a string that does not end takes all of the line.
func oneText(line string) (text, rest string) {
	if !strings.HasPrefix(line, `"`) {
		_, rest, _ = strings.Cut(line, separator)
		return "", rest
	}
	for end := 1; end < len(line); end++ {
		if line[end] == '"' && line[end-1] != '\\' && (end+1 == len(line) || strings.HasPrefix(line[end+1:], separator)) {
			return strings.ReplaceAll(line[1:end], `\"`, `"`), line[end+1:]
		}
	}
	return line[1:], ""
}
