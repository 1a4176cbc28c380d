package fakecyborg

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strings"
)

// pageFiles are what a browser is given.
//
//go:embed page.html page.css page.js
var pageFiles embed.FS

var pageTemplate = template.Must(template.ParseFS(pageFiles, "page.html"))

// isBrowser says whether the sender can show a page; others are told the routes.
func isBrowser(request *http.Request) bool {
	return strings.Contains(request.Header.Get("Accept"), "text/html")
}

// page is the read-only page at /_fake/.
func (c *controlCall) page() controlAnswer {
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, c.server.release); err != nil {
		return refuseControl(http.StatusInternalServerError, "", err)
	}
	return controlAnswer{status: http.StatusOK, contentType: "text/html; charset=utf-8", body: out.Bytes()}
}

func (*controlCall) pageStyle() controlAnswer {
	return pageFile("page.css", "text/css; charset=utf-8")
}

func (*controlCall) pageScript() controlAnswer {
	return pageFile("page.js", "text/javascript; charset=utf-8")
}

func pageFile(name, contentType string) controlAnswer {
	data, err := pageFiles.ReadFile(name)
	if err != nil {
		return refuseControl(http.StatusInternalServerError, "", err)
	}
	return controlAnswer{status: http.StatusOK, contentType: contentType, body: data}
}
