package fakecyborg

// missing is the 404 of a resource that is not there, in the wording of the
// release.
// It mirrors cyborg/common/exception.py:ResourceNotFound, and in Train the
// NotFound exceptions of each resource.
func (r Release) missing(resource, by, value string) *fault {
	if r.NotFoundText {
		return notFound("%s not found with %s=%s", resource, by, value)
	}
	name := map[string]string{"Device Profile": "DeviceProfile", "ExtArq": "ExtArq"}[resource]
	if by != "uuid" { // the text has a place for a uuid only and shows unfilled
		value = "%(uuid)s"
	}
	return notFound("%s %s could not be found.", name, value)
}

// missingProfile is the 404 of a creation of requests for an unknown profile.
func (r Release) missingProfile(name string) *fault {
	if r.NotFoundText {
		return r.missing("Device Profile", "name", name)
	}
	return notFound("DeviceProfile with name %s not found.", name)
}

// missingProvider is the failure of a bind to an unknown provider; Train does not
// catch what its database library says.
func (r Release) missingProvider(provider string) *fault {
	if r.NotFoundText {
		return r.fromBind(notFound("Deployable not found with resource provider uuid=%s", provider))
	}
	return r.fromBind(broken("No row was found for one()"))
}

// badState is the failure of a bind of a request in a wrong state.
func (r Release) badState(a *arq) *fault {
	if r.BadStateText {
		return r.fromBind(broken("Bad state: %s for ARQ: %s. Expected state(s): ['Initial', 'Unbound']", a.state, a.uuid))
	}
	return r.fromBind(broken("Accelerator Requests cannot be requested with state %s.", a.state))
}

// badFilter is the answer to a bind_state that is not known.
func (r Release) badFilter(state string) *fault {
	if r.BadStateText {
		return broken("Bad state: %s for ARQ: None. Expected state(s): ['resolved']", state)
	}
	return broken("Accelerator Requests cannot be requested with state %s.", state)
}

// patchError is the refusal of a PATCH. Train's text has a second place, which
// nobody fills: it shows unfilled.
func (r Release) patchError(reason string) *fault {
	if r.NotFoundText {
		return badRequest("Couldn't apply patch. Reason: %s", reason)
	}
	return badRequest("Couldn't apply patch '%%(patch)s'. Reason: %%(reason)s")
}

// fromBind marks a fault of a bind or unbind as raised where the release binds.
func (r Release) fromBind(f *fault) *fault { return f.raised(r.BindInConductor) }

// raised marks a fault as raised in the conductor, if it was.
func (f *fault) raised(inConductor bool) *fault {
	if inConductor {
		return f.overRPC()
	}
	return f
}

// unforeseen is an exception that is not Cyborg's; RPC puts its class in front.
func unforeseen(inConductor bool, class, text string) *fault {
	if inConductor {
		return broken("Remote error: %s %s", class, text).overRPC()
	}
	return broken("%s", text)
}
