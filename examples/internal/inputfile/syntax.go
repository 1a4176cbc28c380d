package inputfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

var (
	// yamlLine is how the errors of the YAML parser begin.
	yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	// countedFromZero are the errors whose line the YAML parser counts from 0; the others it counts from 1. The end of
	// the file counts as a line of its own.
	countedFromZero = regexp.MustCompile(`^did not find expected (',' or|key|'-' indicator|node content|<)`)
)

// checkJSON refuses a file that is called JSON, but is none. The name decides; an empty file has its own error.
func (r reader) checkJSON(content []byte) error {
	if filepath.Ext(r.file) != ".json" || len(bytes.TrimSpace(content)) == 0 {
		return nil
	}
	return r.jsonError(content)
}

func (r reader) jsonError(content []byte) error {
	wrong, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(content, new(any)))
	if !ok {
		return nil
	}
	line := 1 + bytes.Count(content[:wrong.Offset], []byte("\n"))
	return r.failAt(line, "", "not valid JSON: %w", wrong)
}

// syntax is the error of a file that the YAML parser refuses. If its name does not say that it is YAML and it looks like
// JSON, what the JSON parser says is nearer to the place.
func (r reader) syntax(content []byte, err error) error {
	named := slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(r.file))
	if !named && bytes.HasPrefix(bytes.TrimSpace(content), []byte("{")) {
		if err := r.jsonError(content); err != nil {
			return err
		}
	}
	text, line := err.Error(), 1
	if match := yamlLine.FindStringSubmatch(text); match != nil {
		text = text[len(match[0]):]
		if number, err := strconv.Atoi(match[1]); err == nil {
			line = number
			if countedFromZero.MatchString(text) {
				line = min(line+1, 1+bytes.Count(bytes.TrimRight(content, " \t\r\n"), []byte("\n")))
			}
		}
	}
	return r.failAt(line, "", "not valid YAML: %s", text)
}
