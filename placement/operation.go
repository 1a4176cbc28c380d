package placement

import "net/http"

// operation is one kind of request: what a hook is told of it. The names are part of the package's interface, see WithHook.
type operation struct {
	name, method string
	// status is that of success. gophercloud does not keep it, but takes no other.
	status int
}

var (
	readVersions   = operation{"read versions", http.MethodGet, http.StatusOK}
	getCandidates  = operation{"get allocation candidates", http.MethodGet, http.StatusOK}
	getAllocations = operation{"get allocations of a consumer", http.MethodGet, http.StatusOK}
	putAllocations = operation{"put allocations of a consumer", http.MethodPut, http.StatusNoContent}
	projectUsages  = operation{"get usages of a project", http.MethodGet, http.StatusOK}

	listProviders  = operation{"list providers", http.MethodGet, http.StatusOK}
	getProvider    = operation{"get provider", http.MethodGet, http.StatusOK}
	createProvider = operation{"create provider", http.MethodPost, http.StatusOK}
	moveProvider   = operation{"move provider", http.MethodPut, http.StatusOK}
	deleteProvider = operation{"delete provider", http.MethodDelete, http.StatusNoContent}

	getTraits           = operation{"get traits of a provider", http.MethodGet, http.StatusOK}
	putTraits           = operation{"put traits of a provider", http.MethodPut, http.StatusOK}
	getAggregates       = operation{"get aggregates of a provider", http.MethodGet, http.StatusOK}
	getInventories      = operation{"get inventories of a provider", http.MethodGet, http.StatusOK}
	putInventories      = operation{"put inventories of a provider", http.MethodPut, http.StatusOK}
	providerUsages      = operation{"get usages of a provider", http.MethodGet, http.StatusOK}
	providerAllocations = operation{"get allocations of a provider", http.MethodGet, http.StatusOK}
	reshape             = operation{"reshape", http.MethodPost, http.StatusNoContent}

	getClass    = operation{"get resource class", http.MethodGet, http.StatusOK}
	createClass = operation{"create resource class", http.MethodPut, http.StatusCreated}
	getTrait    = operation{"get trait", http.MethodGet, http.StatusNoContent}
	createTrait = operation{"create trait", http.MethodPut, http.StatusCreated}
)
