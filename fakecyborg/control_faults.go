package fakecyborg

import (
	"fmt"
	"net/http"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// faultList is the answer that lists rules.
type faultList struct {
	Faults []faults.Count `json:"faults"`
}

func (c *controlCall) listFaults() controlAnswer {
	scope := c.query.Get("scope")
	list := faultList{Faults: []faults.Count{}}
	for _, rule := range c.server.faults.Counts() {
		if scope == "" || rule.Scope == scope {
			list.Faults = append(list.Faults, rule)
		}
	}
	return jsonAnswer(http.StatusOK, list)
}

// addFaults adds all rules of the body, or none; the answer lists them with
// their names.
func (c *controlCall) addFaults() controlAnswer {
	data, refusal := c.read()
	if refusal != nil {
		return *refusal
	}
	added, err := c.server.faults.AddText("body", data)
	if err != nil {
		return refuseInput(err)
	}
	return jsonAnswer(http.StatusCreated, faultList{Faults: added})
}

func (c *controlCall) clearFaults() controlAnswer {
	c.server.faults.Clear(c.query.Get("scope"))
	return noContent()
}

func (c *controlCall) removeFault() controlAnswer {
	if !c.server.faults.Remove(c.name) {
		return refuseControl(http.StatusNotFound, "", fmt.Errorf("there is no rule %q", c.name))
	}
	return noContent()
}
