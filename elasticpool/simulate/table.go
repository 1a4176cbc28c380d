package simulate

import (
	"fmt"
	"io"
	"strings"
)

// WriteTable writes the means of a comparison as a table in Markdown.
func WriteTable(w io.Writer, c Comparison) error {
	var text strings.Builder
	text.WriteString("| load | policy |")
	for _, m := range measures() {
		fmt.Fprintf(&text, " %s |", m.name)
	}
	fmt.Fprintf(&text, "\n%s|\n", strings.Repeat("|---", 2+len(measures())))
	for _, load := range c.Loads {
		for _, policy := range c.Policies {
			fmt.Fprintf(&text, "| %v | %s |", load, policy)
			for _, m := range measures() {
				fmt.Fprintf(&text, " %s |", m.text(Mean(c.Of(policy, load), m.of)))
			}
			text.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}
