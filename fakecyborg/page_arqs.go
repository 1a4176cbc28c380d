package fakecyborg

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// arqControl is an accelerator request in the control API, whoever may see it in Cyborg's.
type arqControl struct {
	UUID     string   `json:"uuid"`
	State    arqState `json:"state"`
	Profile  string   `json:"device_profile_name"`
	Group    int      `json:"device_profile_group_id"`
	Host     *string  `json:"hostname"`
	Provider *string  `json:"device_rp_uuid"`
	Instance *string  `json:"instance_uuid"`
	Project  *string  `json:"project_id"`
	// HandleType and HandleUUID are "" without an attach handle.
	HandleType string    `json:"attach_handle_type"`
	HandleUUID string    `json:"attach_handle_uuid"`
	Scope      string    `json:"scope"`
	Created    time.Time `json:"created_at"`
}

type arqControlList struct {
	// ARQs are the latest, newest first.
	ARQs []arqControl `json:"arqs"`
	// Total is how many there are.
	Total int `json:"total"`
}

// listAllARQs shows the accelerator requests of all projects, those that break
// Cyborg's own lists too.
func (c *controlCall) listAllARQs() controlAnswer {
	last := -1
	if text := c.query.Get("last"); text != "" {
		number, err := strconv.Atoi(text)
		if err != nil || number < 0 {
			return refuseControl(http.StatusBadRequest, "query: last", fmt.Errorf("want a whole number, got %q", text))
		}
		last = number
	}
	return jsonAnswer(http.StatusOK, c.server.store.latestARQs(c.query.Get("scope"), last))
}

// latestARQs returns up to so many, all for a number below zero. Without a scope it
// looks at no more rows than it returns.
func (s *store) latestARQs(scope string, last int) arqControlList {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := arqControlList{ARQs: []arqControl{}}
	if scope == "" {
		list.Total = len(s.arqs.byUUID)
	}
	for a := range s.arqs.latest {
		full := last >= 0 && len(list.ARQs) >= last
		if full && scope == "" {
			break
		}
		if scope != "" {
			if a.scope != scope {
				continue
			}
			list.Total++
		}
		if !full {
			list.ARQs = append(list.ARQs, a.control())
		}
	}
	return list
}

func (a *arq) control() arqControl {
	shown := arqControl{
		UUID: a.uuid, State: a.state, Profile: a.profile.name, Group: a.group, Host: a.hostname, Provider: a.deviceRP,
		Instance: a.instance, Project: a.project, Scope: a.scope, Created: a.created,
	}
	if a.handle != nil {
		shown.HandleType, shown.HandleUUID = a.handle.Type, a.handle.uuid
	}
	return shown
}
