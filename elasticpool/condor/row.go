package condor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/novacyborg/novacyborg/elasticpool/classad"
)

// rowOf reads one ad of a grouped query. known is false when a request is an expression without a value here. An ad
// without JobCount is one job: that is how a schedd answers that does not know of grouping.
func (p *Pool) rowOf(a ad) (r row, known bool, err error) {
	known = true
	r = row{
		queue: a.text(p.config.Queue), status: a.integer("JobStatus"), universe: a.integer("JobUniverse"), hosts: a.integer("MinHosts"),
		amounts: make([]int64, len(p.requests)), requires: make([]string, len(p.requests)), count: 1,
	}
	if r.status == 0 {
		return r, true, fmt.Errorf("JobStatus is %v", a.get("JobStatus"))
	}
	if n, ok := a.number("JobCount"); ok {
		r.count = int(n)
	}
	if text, _ := a.get(p.config.Queue).(string); text != "" && r.queue == "" {
		known = false // an expression
	}
	r.id = firstID(a.text("JobIds"))
	scope := sync.OnceValue(a.classad)
	for i, ask := range p.requests {
		amount, ok := a.amount(ask.attribute, scope)
		r.amounts[i], known = amount, known && ok
		if ask.require == "" {
			continue
		}
		if text, ok := a.get(ask.require).(string); ok {
			r.requires[i] = condition(text)
		}
	}
	if p.config.Runtime != "" {
		runtime, ok := a.amount(p.config.Runtime, scope)
		r.runtime, known = max(0, runtime), known && ok
	}
	return r, known, nil
}

// amount returns the value of a request, computed if it is an expression of what is in the ad; -1 if it is absent. It
// is false if it has no value that can be computed here.
func (a ad) amount(name string, scope func() classad.Ad) (int64, bool) {
	value := a.get(name)
	if value == nil {
		return -1, true
	}
	if n, ok := a.number(name); ok {
		return max(0, n), true
	}
	text, ok := value.(string)
	if !ok {
		return -1, false
	}
	expression, ok := classad.Unwrap(text)
	if !ok {
		return -1, false
	}
	parsed, err := classad.Parse(expression)
	if err != nil {
		return -1, false
	}
	return computed(parsed.Eval(scope(), classad.Ad{}))
}

// computed returns the amount that a value is; a value that depends on something unknown is none.
func computed(value classad.Value) (int64, bool) {
	number, ok := value.Number()
	if !ok {
		return -1, false
	}
	return max(0, roundUp(number)), true
}

// classad returns the attributes for an evaluation. What cannot be read there is as good as absent.
func (a ad) classad() classad.Ad {
	var whole classad.Ad
	if text, err := json.Marshal(a); err == nil && whole.UnmarshalJSON(text) == nil {
		return whole
	}
	for name, value := range a {
		text, err := json.Marshal(map[string]any{name: value})
		if err != nil {
			continue
		}
		var one classad.Ad
		if one.UnmarshalJSON(text) == nil {
			if expression, ok := one.Lookup(name); ok {
				whole.SetExpr(name, expression)
			}
		}
	}
	return whole
}

// condition returns the text of a condition on devices.
func condition(text string) string {
	expression, ok := classad.Unwrap(text)
	if !ok {
		return text
	}
	return expression
}

// firstID returns the first of the ids that a group names: "4.0 ... 4.2999" or "5.0 5.1".
func firstID(ids string) string {
	first, _, _ := strings.Cut(ids, " ")
	return first
}

// compareIDs orders ids of jobs as they came.
func compareIDs(a, b string) int {
	aCluster, aProcess := splitID(a)
	bCluster, bProcess := splitID(b)
	return cmp.Or(cmp.Compare(aCluster, bCluster), cmp.Compare(aProcess, bProcess))
}

// splitID returns the cluster and the process of a job's id.
func splitID(id string) (cluster, process int64) {
	before, after, _ := strings.Cut(id, ".")
	cluster, _ = strconv.ParseInt(before, 10, 64)
	process, _ = strconv.ParseInt(after, 10, 64)
	return cluster, process
}

// jobID returns the id of a job as HTCondor writes it.
func jobID(cluster, process int64) string { return fmt.Sprintf("%d.%d", cluster, process) }
