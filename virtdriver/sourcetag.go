package virtdriver

import (
	"bytes"
	"encoding/xml"
)

// sourceTag finds the start tag of source/address in the text of a device that is
// known to have it; elements of namespaces are passed over.
func sourceTag(text []byte) (from, to int) {
	decoder := xml.NewDecoder(bytes.NewReader(text))
	var open []tagAt
	for {
		start := int(decoder.InputOffset())
		token, err := decoder.RawToken()
		switch token := token.(type) {
		case xml.StartElement:
			at := tagIn(open, token)
			if open = append(open, at); at.onPath && len(open) == len(sourcePath) {
				return start, int(decoder.InputOffset())
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		}
		if err != nil {
			return 0, 0
		}
	}
}

// sourcePath is what leads to the tag; the first is the device, of any name.
var sourcePath = []string{"", "source", "address"}

// tagAt is an element that is not closed yet.
type tagAt struct {
	space  string // the namespace of names without prefix
	onPath bool
}

// tagIn is the start tag inside of the open elements; that of the device itself
// is on the path.
func tagIn(open []tagAt, token xml.StartElement) tagAt {
	if len(open) == 0 {
		return tagAt{onPath: true}
	}
	parent := open[len(open)-1]
	at := tagAt{space: parent.space}
	for _, attr := range token.Attr {
		if attr.Name == (xml.Name{Local: "xmlns"}) {
			at.space = attr.Value
		}
	}
	at.onPath = parent.onPath && len(open) < len(sourcePath) && at.space+token.Name.Space == "" && token.Name.Local == sourcePath[len(open)]
	return at
}
