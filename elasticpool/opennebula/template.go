package opennebula

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// element is an attribute of a template: single with a text, or a vector of single ones.
type element struct {
	XMLName  xml.Name
	Text     string    `xml:",chardata"`
	Children []element `xml:",any"`
}

func single(name, text string) element { return element{XMLName: xml.Name{Local: name}, Text: text} }

func vector(name string, children []element) element {
	return element{XMLName: xml.Name{Local: name}, Children: children}
}

// merge returns the elements of both; what ours name replaces theirs.
func merge(theirs, ours []element) []element {
	named := map[string]bool{}
	for _, one := range ours {
		named[one.XMLName.Local] = true
	}
	var all []element
	for _, one := range theirs {
		if !named[one.XMLName.Local] {
			all = append(all, single(one.XMLName.Local, one.Text))
		}
	}
	return append(all, ours...)
}

// writeXML writes a template as XML, whose escapes are certain.
func writeXML(elements []element) (string, error) {
	var out bytes.Buffer
	err := xml.NewEncoder(&out).Encode(vector("TEMPLATE", elements))
	return out.String(), err
}

// writeText writes attributes in OpenNebula's own language, behind a template that is in it. That language has no escapes that every
// release reads alike (src/parsers/template_parser.l), so what would need one is refused.
func writeText(elements []element) (string, error) {
	var out strings.Builder
	for _, one := range elements {
		value, err := quoted(one)
		if one.Children != nil {
			parts := make([]string, len(one.Children))
			for i, child := range one.Children {
				text, failed := quoted(child)
				parts[i], err = child.XMLName.Local+" = "+text, errors.Join(err, failed)
			}
			value = "[ " + strings.Join(parts, ", ") + " ]"
		}
		if err != nil {
			return "", err
		}
		out.WriteString(one.XMLName.Local + " = " + value + "\n")
	}
	return out.String(), nil
}

func quoted(one element) (string, error) {
	if strings.ContainsAny(one.Text, "\"\\\n\r") || strings.Contains(one.Text, "]]>") {
		return "", fmt.Errorf("%s %q cannot be written behind extra.template: it has a quote, backslash or line end", one.XMLName.Local, one.Text)
	}
	return `"` + one.Text + `"`, nil
}

// vmTemplate is a registered template.
type vmTemplate struct {
	ID      int    `xml:"ID"`
	Name    string `xml:"NAME"`
	Context []element
}

// errTemplate marks that a template cannot be used.
var errTemplate = errors.New("template")

// anyone asks for the objects of all users that this one may use (include/Request.h: ALL).
const anyone = -2

// template returns a registered template, by its id or name.
func (c *Cloud) template(ctx context.Context, flavor string) (vmTemplate, error) {
	id, err := strconv.Atoi(flavor)
	if err != nil {
		if id, err = c.templateID(ctx, flavor); err != nil {
			return vmTemplate{}, err
		}
	}
	text, err := c.client.text(ctx, "one.template.info", id, false)
	if err != nil {
		return vmTemplate{}, err
	}
	var found struct {
		vmTemplate
		Template struct {
			Context struct {
				All []element `xml:",any"`
			} `xml:"CONTEXT"`
		} `xml:"TEMPLATE"`
	}
	err = parseXML("template", text, &found)
	return vmTemplate{ID: id, Name: found.Name, Context: found.Template.Context.All}, err
}

// templateID finds a template by its name. Several users may have one of the same name.
func (c *Cloud) templateID(ctx context.Context, name string) (int, error) {
	text, err := c.client.text(ctx, "one.templatepool.info", anyone, -1, -1)
	if err != nil {
		return 0, err
	}
	var list struct {
		Templates []vmTemplate `xml:"VMTEMPLATE"`
	}
	if err := parseXML("list of templates", text, &list); err != nil {
		return 0, err
	}
	var ids []int
	for _, one := range list.Templates {
		if one.Name == name {
			ids = append(ids, one.ID)
		}
	}
	if len(ids) != 1 {
		return 0, fmt.Errorf("%w: %d templates have the name %q %v; there must be one, or name its id", errTemplate, len(ids), name, ids)
	}
	return ids[0], nil
}
