package differential_test

import (
	"fmt"
	"regexp"
	"strings"
)

// idForm is a uuid in any form that Cyborg takes.
var idForm = regexp.MustCompile(`(?i)\b[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\b`)

// names pairs the uuids of the two services. What one calls by a uuid the other must always call by the same one of its own.
type names struct {
	real, fake map[string]string
	next       int
}

func newNames() *names {
	return &names{real: make(map[string]string), fake: make(map[string]string)}
}

// pair says that two uuids are the same thing.
func (n *names) pair(real, fake string) {
	real, fake = plain(real), plain(fake)
	if n.real[real] != "" || n.fake[fake] != "" {
		return
	}
	n.next++
	symbol := fmt.Sprintf("id-%d", n.next)
	n.real[real], n.fake[fake] = symbol, symbol
}

// same pairs each uuid in a text that both are sent with itself.
func (n *names) same(text string) {
	for _, id := range idForm.FindAllString(text, -1) {
		n.pair(id, id)
	}
}

// hide writes names in place of uuids. Those that were never seen before are numbered as they come; met lists them.
func hide(text string, known map[string]string) (hidden string, met []string) {
	fresh := make(map[string]string)
	hidden = idForm.ReplaceAllStringFunc(text, func(id string) string {
		symbol, form := known[plain(id)], formOf(id)
		if symbol != "" {
			return "<" + symbol + form + ">"
		}
		if fresh[plain(id)] == "" {
			met = append(met, plain(id))
			fresh[plain(id)] = fmt.Sprintf("new-%d", len(met))
		}
		return "<" + fresh[plain(id)] + form + ">"
	})
	return hidden, met
}

// plain is a uuid in one form.
func plain(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }

// formOf tells the forms of a uuid apart.
func formOf(id string) string {
	form := ""
	if !strings.Contains(id, "-") {
		form = " hex"
	}
	if id != strings.ToLower(id) {
		form += " upper"
	}
	return form
}
