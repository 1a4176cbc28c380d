package fakecyborg

import "net/http"

// HandlerTransport is the in-memory transport in front of any handler.
func HandlerTransport(handler http.Handler) http.RoundTripper {
	return &memoryTransport{handler: handler}
}
