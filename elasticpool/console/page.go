package console

import (
	"embed"
	"net/http"
)

//go:embed static
var static embed.FS

// file serves one of the page's files.
func file(name, kind string) http.HandlerFunc {
	text, err := static.ReadFile("static/" + name)
	return func(w http.ResponseWriter, _ *http.Request) {
		if err != nil {
			problem(w, http.StatusInternalServerError, err.Error())
			return
		}
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		w.Write(text) //nolint:errcheck,gosec // the reader is gone: there is nobody to tell
	}
}
