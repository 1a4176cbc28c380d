package driver

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// asciiOnly replaces what is beyond ASCII by \u escapes.
func asciiOnly(quoted string) string {
	var out strings.Builder
	for _, r := range quoted {
		if r < 0x80 {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}
