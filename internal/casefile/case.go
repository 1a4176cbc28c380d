package casefile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Case is one recorded case: an input and Nova's answer to it.
type Case[I Query | Mapping | Mappings] struct {
	ID       string   `json:"id"`
	Kinds    []string `json:"kinds"` // the rules in play
	Input    I        `json:"input"`
	Expected Expected `json:"expected"`
	// OrderSensitive marks inputs whose answer depends on the order of the keys of an object.
	OrderSensitive bool `json:"order_sensitive"`
	// Solutions is how many assignments of a mapping are correct. LeftoverBug marks the cases in which Nova is wrong;
	// Nova is its answer then, and Expected the right one.
	Solutions   int       `json:"solutions"`
	LeftoverBug bool      `json:"nova_leftover_bug"`
	Nova        *Expected `json:"nova"`
}

// Expected is an answer: an error, or what the kind of case has of the other fields.
type Expected struct {
	Error        string              `json:"error"`
	Exception    string              `json:"nova_exception"`
	Query        string              `json:"query"`
	Groups       []ExpectedGroup     `json:"groups"`
	RequestedIDs []string            `json:"requested_ids"`
	Mapping      map[string][]string `json:"mapping"`
	ARQProviders map[string]string   `json:"arq_providers"`
}

// ExpectedGroup is one group behind a query; the unsuffixed one has no suffix.
type ExpectedGroup struct {
	Suffix              string                 `json:"suffix"`
	Resources           map[string]json.Number `json:"resources"`
	Required            []string               `json:"required"`
	Forbidden           []string               `json:"forbidden"`
	Aggregates          [][]string             `json:"aggregates"`
	ForbiddenAggregates []string               `json:"forbidden_aggregates"`
	InTree              string                 `json:"in_tree"`
}

// maxLine is the length of the longest line that Read takes.
const maxLine = 1 << 20

// Read decodes the recorded cases of a file, one a line.
func Read[I Query | Mapping | Mappings](from io.Reader) ([]Case[I], error) {
	var cases []Case[I]
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var c Case[I]
		if err := Decode(lines.Bytes(), &c, Strict); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	return cases, lines.Err()
}
