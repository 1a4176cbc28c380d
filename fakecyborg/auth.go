package fakecyborg

import "net/http"

// NoAuthProject is the project of every caller while no token is asked for.
const NoAuthProject = "fa4e0c4b0490000000000000000000ad"

// caller is who sent a request, as the token told.
type caller struct {
	// admin sees the accelerator requests of all projects.
	admin bool
	// project owns what the caller makes.
	project string
}

// authenticate tells who the caller is. No token is asked for: everybody is
// admin, and neither policies nor service tokens are checked. Modes with tokens
// belong here; their refusal is Keystone's 401, which no error wrapper touches.
func authenticate(*http.Request) caller {
	return caller{admin: true, project: NoAuthProject}
}

// sees says whether an accelerator request exists for the caller.
func (c caller) sees(a *arq) bool {
	return c.admin || (a.project != nil && *a.project == c.project)
}
