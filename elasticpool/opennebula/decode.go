package opennebula

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxDepth is how deep an answer may be nested. Oned's are an array of scalars.
const maxDepth = 16

// rpcFault is a fault of XML-RPC: the server has not understood the call (xmlrpc-c's codes, -500 and below).
type rpcFault struct {
	code int
	text string
}

func (f *rpcFault) Error() string { return fmt.Sprintf("fault %d: %s", f.code, f.text) }

// decodeResponse reads a method response of XML-RPC: its value is a string, int64, bool, []any or map[string]any.
func decodeResponse(in io.Reader) (any, error) {
	d := decoder{xml.NewDecoder(in)}
	if err := d.enter("methodResponse"); err != nil {
		return nil, err
	}
	start, err := d.start()
	if err != nil {
		return nil, err
	}
	switch start {
	case "params":
		value, err := d.inside(2, "param")
		return value, err
	case "fault":
		value, err := d.value(2)
		if err != nil {
			return nil, err
		}
		return nil, faultOf(value)
	}
	return nil, fmt.Errorf("element %s where params or fault must be", start)
}

func faultOf(value any) error {
	fields, _ := value.(map[string]any)
	code, ok := fields["faultCode"].(int64)
	text, isText := fields["faultString"].(string)
	if !ok || !isText {
		return errors.New("a fault without code and text")
	}
	return &rpcFault{int(code), text}
}

// decoder reads XML-RPC, token by token.
type decoder struct{ xml *xml.Decoder }

// token returns the next token that matters.
func (d decoder) token() (xml.Token, error) {
	for {
		token, err := d.xml.Token()
		switch token := token.(type) {
		case xml.Directive:
			return nil, errors.New("a document type is not allowed")
		case xml.CharData:
			if strings.TrimSpace(string(token)) == "" {
				continue
			}
			return nil, errors.New("text where an element must be")
		case xml.StartElement, xml.EndElement:
			return token, nil
		}
		if errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
}

// start returns the name of the element that begins.
func (d decoder) start() (string, error) {
	token, err := d.token()
	if err != nil {
		return "", err
	}
	start, ok := token.(xml.StartElement)
	if !ok {
		return "", errors.New("an element ends where one must begin")
	}
	return start.Name.Local, nil
}

// enter begins the element of that name.
func (d decoder) enter(name string) error {
	got, err := d.start()
	if err == nil && got != name {
		return fmt.Errorf("element %s where %s must be", got, name)
	}
	return err
}

// leave ends an element.
func (d decoder) leave() error {
	token, err := d.token()
	if err != nil {
		return err
	}
	if start, ok := token.(xml.StartElement); ok {
		return fmt.Errorf("element %s where none may be", start.Name.Local)
	}
	return nil
}

// inside reads a value that is alone in the element of that name.
func (d decoder) inside(depth int, name string) (any, error) {
	if err := d.enter(name); err != nil {
		return nil, err
	}
	value, err := d.value(depth)
	if err != nil {
		return nil, err
	}
	return value, d.leave()
}

// value reads a value element.
func (d decoder) value(depth int) (any, error) {
	if err := d.enter("value"); err != nil {
		return nil, err
	}
	return d.content(depth)
}

// content reads what is in a value element, to its end. Text without a type is a string.
func (d decoder) content(depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d levels", maxDepth)
	}
	var text strings.Builder
	for {
		token, err := d.xml.Token()
		if err != nil {
			return nil, atEnd(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			return text.String(), nil
		case xml.StartElement:
			if strings.TrimSpace(text.String()) != "" {
				return nil, errors.New("text beside an element")
			}
			value, err := d.typed(token.Name.Local, depth)
			if err != nil {
				return nil, err
			}
			return value, d.leave()
		case xml.Directive:
			return nil, errors.New("a document type is not allowed")
		}
	}
}

// typed reads the content of an element that names a type, to its end.
func (d decoder) typed(kind string, depth int) (any, error) {
	switch kind {
	case "array":
		return d.array(depth)
	case "struct":
		return d.structure(depth)
	}
	text, err := d.text()
	if err != nil {
		return nil, err
	}
	switch kind {
	case "string":
		return text, nil
	case "i4", "int", "i8", "ex:i8":
		return strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	case "boolean":
		switch strings.TrimSpace(text) {
		case "0":
			return false, nil
		case "1":
			return true, nil
		}
		return nil, fmt.Errorf("boolean %.20q", text)
	}
	return nil, fmt.Errorf("type %.20q is not known", kind)
}

// text reads text to the end of its element.
func (d decoder) text() (string, error) {
	var text strings.Builder
	for {
		token, err := d.xml.Token()
		if err != nil {
			return "", atEnd(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			return text.String(), nil
		case xml.StartElement:
			return "", fmt.Errorf("element %s inside text", token.Name.Local)
		case xml.Directive:
			return "", errors.New("a document type is not allowed")
		}
	}
}

func (d decoder) array(depth int) (any, error) {
	if err := d.enter("data"); err != nil {
		return nil, err
	}
	values := []any{}
	for {
		token, err := d.token()
		if err != nil {
			return nil, err
		}
		start, more := token.(xml.StartElement)
		switch {
		case !more:
			return values, d.leave()
		case start.Name.Local != "value":
			return nil, fmt.Errorf("element %s in an array", start.Name.Local)
		}
		value, err := d.content(depth + 1)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
}

func (d decoder) structure(depth int) (any, error) {
	members := map[string]any{}
	for {
		token, err := d.token()
		if err != nil {
			return nil, err
		}
		start, more := token.(xml.StartElement)
		switch {
		case !more:
			return members, nil
		case start.Name.Local != "member":
			return nil, fmt.Errorf("element %s in a struct", start.Name.Local)
		}
		if err := d.enter("name"); err != nil {
			return nil, err
		}
		name, err := d.text()
		if err != nil {
			return nil, err
		}
		value, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if err := d.leave(); err != nil {
			return nil, err
		}
		members[name] = value
	}
}

func atEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
