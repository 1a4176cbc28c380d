package console

import (
	"errors"
	"net/http"

	"github.com/novacyborg/novacyborg/elasticpool"
)

const starting = "the pool is starting"

func (c *Console) status(w http.ResponseWriter, _ *http.Request) {
	pool, _ := c.shown()
	if pool == nil {
		problem(w, http.StatusServiceUnavailable, starting)
		return
	}
	answer(w, http.StatusOK, pool.Status())
}

func (c *Console) past(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, c.history.all())
}

// Explanation is the answer of /api/explain.
type Explanation struct {
	What  string   `json:"what"`
	Lines []string `json:"lines"`
}

// maxName is how long the name of what is explained may be.
const maxName = 1024

func (c *Console) explain(w http.ResponseWriter, r *http.Request) {
	pool, last := c.shown()
	if pool == nil {
		problem(w, http.StatusServiceUnavailable, starting)
		return
	}
	what := r.URL.Query().Get("what")
	if what == "" || len(what) > maxName {
		problem(w, http.StatusBadRequest, "say what: the name of a queue or class, or the id of a VM or job")
		return
	}
	lines, err := elasticpool.Explain(c.policy, last.in, pool.Status(), what)
	switch {
	case errors.Is(err, elasticpool.ErrNothingCalled):
		problem(w, http.StatusNotFound, err.Error())
	case err != nil:
		problem(w, http.StatusInternalServerError, err.Error())
	default:
		answer(w, http.StatusOK, Explanation{What: what, Lines: lines})
	}
}
