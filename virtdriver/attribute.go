package virtdriver

import "github.com/beevik/etree"

// find reads an attribute in no namespace, which are those that libvirt reads.
func find(e *etree.Element, name string) (value string, ok bool) {
	if e == nil {
		return "", false
	}
	for _, attr := range e.Attr {
		if attr.Space == "" && attr.Key == name {
			return attr.Value, true
		}
	}
	return "", false
}

// attribute is empty when the element or the attribute is not there.
func attribute(e *etree.Element, name string) string { return attributeOr(e, name, "") }

func attributeOr(e *etree.Element, name, otherwise string) string {
	if value, ok := find(e, name); ok {
		return value
	}
	return otherwise
}
