package opennebula

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
)

// encodeCall writes a method call of XML-RPC. Arguments are strings, ints and bools.
func encodeCall(method string, arguments ...any) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(xml.Header + "<methodCall><methodName>" + method + "</methodName><params>")
	for i, argument := range arguments {
		out.WriteString("<param><value>")
		switch value := argument.(type) {
		case string:
			out.WriteString("<string>")
			if err := xml.EscapeText(&out, []byte(value)); err != nil {
				return nil, err
			}
			out.WriteString("</string>")
		case int:
			out.WriteString("<i4>" + strconv.Itoa(value) + "</i4>")
		case bool:
			digit := "0"
			if value {
				digit = "1"
			}
			out.WriteString("<boolean>" + digit + "</boolean>")
		default:
			return nil, fmt.Errorf("argument %d of %s is a %T", i, method, argument)
		}
		out.WriteString("</value></param>")
	}
	out.WriteString("</params></methodCall>")
	return out.Bytes(), nil
}
