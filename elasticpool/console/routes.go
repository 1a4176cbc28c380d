package console

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

// Handler returns the console for callers that must show the token to command.
func (c *Console) Handler() http.Handler {
	router := c.router(c.tokenGate)
	if c.anyHost {
		return router
	}
	return loopbackOnly(router)
}

// Trusted returns the console for callers that may command because they could open its socket.
func (c *Console) Trusted() http.Handler { return c.router(trusted) }

func (c *Console) router(may gate) http.Handler {
	r := chi.NewRouter()
	r.Use(manners)
	r.NotFound(func(w http.ResponseWriter, r *http.Request) {
		problem(w, http.StatusNotFound, "there is nothing at "+r.URL.Path)
	})
	r.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		problem(w, http.StatusMethodNotAllowed, r.URL.Path+" does not know "+r.Method)
	})
	r.Get("/", file("page.html", "text/html"))
	r.Get("/page.js", file("page.js", "text/javascript"))
	r.Get("/page.css", file("page.css", "text/css"))
	r.Get("/api/status", c.status)
	r.Get("/api/history", c.past)
	r.Get("/api/explain", c.explain)
	r.Post("/api/commands", func(w http.ResponseWriter, r *http.Request) { c.command(w, r, may) })
	r.Method(http.MethodGet, "/metrics", c.metrics.handler())
	r.Get("/healthz", c.health)
	return r
}

// manners sets what every answer says to browsers: nothing is cached, framed or sent elsewhere.
func manners(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'")
		next.ServeHTTP(w, r)
	})
}
