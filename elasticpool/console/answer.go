package console

import (
	"encoding/json"
	"net/http"
)

// Problem is the answer to a request that is refused.
type Problem struct {
	Title string `json:"title"`
}

func problem(w http.ResponseWriter, status int, title string) { answer(w, status, Problem{title}) }

func answer(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(text, '\n')) //nolint:errcheck,gosec // the caller is gone: there is nobody to tell
}
