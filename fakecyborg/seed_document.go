package fakecyborg

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// readDocument parses the one YAML document of a seed; nil when it is empty.
func readDocument(file string, data []byte) (*yaml.Node, error) {
	if before := validUTF8(data); before < len(data) {
		return nil, badDocument(file, 1+bytes.Count(data[:before], []byte("\n")), "not UTF-8 text")
	}
	document, err := decodeDocument(newLineReader(data))
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case errors.Is(err, errDocuments):
		return nil, badDocument(file, document.Line, err.Error())
	case err != nil:
		return nil, badDocument(file, errorLine(data, yamlReason(err)), yamlReason(err))
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	return root, nil
}

func badDocument(file string, line int, reason string) error {
	return &SeedError{Place: fmt.Sprintf("%s:%d", file, line), Err: errors.New(reason)}
}

// validUTF8 is how many bytes there are before the first that is no UTF-8.
func validUTF8(data []byte) int {
	at := 0
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

// errDocuments comes with the second document.
var errDocuments = errors.New("a seed is one document")

func decodeDocument(r io.Reader) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(r)
	var first, second yaml.Node
	if err := decoder.Decode(&first); err != nil {
		return nil, err
	}
	err := decoder.Decode(&second)
	switch {
	case errors.Is(err, io.EOF):
		return &first, nil
	case err != nil:
		return nil, err
	}
	return &second, errDocuments
}

// yamlPrefix is what yaml puts before its reasons. The line is left out where it
// is the first, and is often that of something that contains the fault.
var yamlPrefix = regexp.MustCompile(`^yaml: (line [0-9]+: )?`)

func yamlReason(err error) string { return yamlPrefix.ReplaceAllString(err.Error(), "") }

// maxLookahead is how many lines that say something a parser may have read
// beyond a fault.
const maxLookahead = 3

// errorLine finds the line of a fault: the first with which the text up to it
// has the fault, at or shortly before the line where the parser gave up.
func errorLine(data []byte, reason string) int {
	reader := newLineReader(data)
	lines := reader.rest
	_, _ = decodeDocument(reader) // fails with the reason
	tried := 0
	for line := reader.line; line > 0 && tried < maxLookahead; line-- {
		if text := bytes.TrimSpace(lines[line-1]); len(text) == 0 || text[0] == '#' {
			continue
		}
		tried++
		_, err := decodeDocument(&lineReader{rest: lines[:line-1]})
		if err == nil || yamlReason(err) != reason {
			return line
		}
	}
	return max(1, reader.line)
}

// lineReader hands out one line at a time and counts them.
type lineReader struct {
	rest    [][]byte
	current []byte
	line    int
}

func newLineReader(data []byte) *lineReader {
	lines := bytes.SplitAfter(data, []byte("\n"))
	if last := len(lines) - 1; len(lines[last]) == 0 {
		lines = lines[:last]
	}
	return &lineReader{rest: lines}
}

// Read returns bytes of one line only.
func (r *lineReader) Read(p []byte) (int, error) {
	if len(r.current) == 0 {
		if len(r.rest) == 0 {
			return 0, io.EOF
		}
		r.current, r.rest = r.rest[0], r.rest[1:]
		r.line++
	}
	n := copy(p, r.current)
	r.current = r.current[n:]
	return n, nil
}
