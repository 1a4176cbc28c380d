package fakecyborg

import "strings"

// ControlRoutes are the routes of the control API, as their list names them.
func ControlRoutes() []string {
	routes := make([]string, 0, len(controlRoutes))
	for _, r := range controlRoutes {
		place := r.path
		if strings.HasSuffix(place, "/") {
			place += "{name}"
		}
		routes = append(routes, r.method+" "+controlPrefix+place)
	}
	return routes
}

// Operations are the names of the operations that have routes.
func Operations() []string { return operations() }
