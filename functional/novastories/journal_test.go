package novastories_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// passedOver are headers that are not compared, with the reason.
var passedOver = map[string]string{
	"Date":            "the time",
	"X-Auth-Token":    "each telling has its own",
	"X-Service-Token": "Nova gets a new one now and then",
	"X-Fake-Scope":    "the wire adds it",
}

// passedOverInEvents are headers of the requests to Nova: they name the program that sends it, which decides nothing.
var passedOverInEvents = map[string]string{
	"User-Agent":      "keystoneauth here, net/http there",
	"Accept-Encoding": "keystoneauth takes deflate, net/http does not",
}

// traceback is what follows the message of an error of Cyborg's conductor. The fake has one, but not the lines of a Python program
// that does not run.
var traceback = regexp.MustCompile(`(\\\\nTraceback \(most recent call last\)).*`)

// transcript is the journal in lines that do not depend on who was first, on the time, and on what was free.
func (l *telling) transcript() []string {
	l.mu.Lock()
	journal := slices.Clone(l.journal)
	l.mu.Unlock()
	order := make(map[string]int, len(l.servers))
	for i, id := range l.servers {
		order[id] = i + 1
	}
	if len(l.servers) > 1 { // Nova takes care of several at a time
		slices.SortStableFunc(journal, func(a, b exchange) int {
			return cmp.Or(cmp.Compare(l.story.place(a.step), l.story.place(b.step)), cmp.Compare(a.server(order), b.server(order)))
		})
	}
	n := names{seen: make(map[string]string)}
	var lines []string
	for _, e := range journal {
		for _, line := range e.lines(&n) {
			lines = append(lines, n.replace(line))
		}
		if e.method == http.MethodDelete {
			n.forgetHandles()
		}
	}
	return lines
}

// server says whose an exchange is, by its place in the telling; 0 is none.
func (e exchange) server(order map[string]int) int {
	text := e.target + string(e.question)
	for id, place := range order {
		if strings.Contains(text, id) {
			return place
		}
	}
	return 0
}

func (e exchange) lines(n *names) []string {
	lines := []string{fmt.Sprintf("%s: %s: %s %s", e.step, e.side, e.method, e.target)}
	except := passedOver
	if e.side == tells {
		except = merged(passedOver, passedOverInEvents)
	}
	lines = append(lines, headerLines("    > ", e.sent, except)...)
	lines = append(lines, "    > "+n.body(e.question), fmt.Sprintf("    < %d", e.status))
	answer := n.body(e.answer)
	if short := traceback.ReplaceAllString(answer, "$1"); short != answer {
		answer, except = short, merged(except, map[string]string{"Content-Length": "it counts the traceback"})
	}
	lines = append(lines, headerLines("    < ", e.got, except)...)
	return append(lines, "    < "+answer)
}

func merged(all ...map[string]string) map[string]string {
	sum := make(map[string]string)
	for _, one := range all {
		maps.Copy(sum, one)
	}
	return sum
}

func headerLines(margin string, header http.Header, except map[string]string) []string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(header)) {
		if except[key] == "" {
			lines = append(lines, margin+key+": "+strings.Join(header[key], ", "))
		}
	}
	return lines
}

// names gives what is new in each run a name that is not: the order in which it was seen.
type names struct {
	seen  map[string]string
	count int
}

var (
	requestID  = regexp.MustCompile(`req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	anyUUID    = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	anyTime    = regexp.MustCompile(`\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d`)
	anyAddress = regexp.MustCompile(`127\.0\.0\.1:\d+`)
)

func (n *names) replace(line string) string {
	line = requestID.ReplaceAllString(line, "req-ID")
	line = anyUUID.ReplaceAllStringFunc(line, func(id string) string { return n.name("uuid", id) })
	line = anyTime.ReplaceAllString(line, "0000-00-00${1}00:00:00")
	return anyAddress.ReplaceAllString(line, "127.0.0.1:PORT")
}

func (n *names) name(kind, of string) string {
	key := kind + " " + of
	if n.seen[key] == "" {
		n.count++
		n.seen[key] = fmt.Sprintf("%s-%d", kind, n.count)
	}
	return n.seen[key]
}

// forgetHandles has a handle that is taken anew be a new one: which of those that are free it is decides nothing.
func (n *names) forgetHandles() {
	maps.DeleteFunc(n.seen, func(key, _ string) bool { return strings.HasPrefix(key, "handle ") })
}

// body is JSON with sorted keys, or the text.
func (n *names) body(text []byte) string {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return string(text)
	}
	n.walk(value)
	sorted, err := json.Marshal(value)
	if err != nil {
		return string(text)
	}
	return string(sorted)
}

// walk names the handles, of which a Cyborg takes any that is free, and keys that are uuids.
func (n *names) walk(value any) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			n.walk(one)
		}
	case map[string]any:
		if device, function := v["device"], v["function"]; v["bus"] != nil && device != nil && function != nil {
			v["device"], v["function"] = "any", n.name("handle", fmt.Sprint(device, ".", function))
		}
		if id, ok := v["attach_handle_uuid"].(string); ok {
			v["attach_handle_uuid"] = n.name("handle", id)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.walk(v[key])
			if name := n.seen["uuid "+key]; name != "" { // else the order of the lines would be that of the uuids
				v[name] = v[key]
				delete(v, key)
			}
		}
	}
}
