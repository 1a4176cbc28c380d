package placementtest

import (
	"strconv"
	"strings"
)

// acceptable tells whether an Accept header lets a media type through. Without a header everything is accepted.
func acceptable(values []string, media string) bool { return acceptQuality(values, media) > 0 }

// errorForm picks the media type of an error's body: JSON unless the caller prefers HTML, plain text when it takes neither.
func errorForm(values []string) string {
	asHTML, asJSON := acceptQuality(values, "text/html"), acceptQuality(values, "application/json")
	text := strings.TrimSpace(strings.Join(values, ","))
	switch {
	case text == "" || text == "*/*":
		return "application/json"
	case asHTML > 0 && asHTML >= asJSON:
		return "text/html"
	case asJSON > 0:
		return "application/json"
	}
	return "text/plain"
}

// acceptQuality is the q value that an Accept header gives a media type; the most specific range counts.
func acceptQuality(values []string, media string) float64 {
	text := strings.TrimSpace(strings.Join(values, ","))
	if text == "" {
		return 1
	}
	kind, _, _ := strings.Cut(media, "/")
	best, quality := 0, 0.0
	for part := range strings.SplitSeq(text, ",") {
		mediaRange, q := parseRange(part)
		rank := map[string]int{media: 3, kind + "/*": 2, "*/*": 1}[mediaRange]
		if rank > best {
			best, quality = rank, q
		}
	}
	return quality
}

// parseRange splits one element of an Accept header into its range and its q value.
func parseRange(part string) (string, float64) {
	fields := strings.Split(part, ";")
	q := 1.0
	for _, field := range fields[1:] {
		key, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		if strings.EqualFold(key, "q") {
			if v, err := strconv.ParseFloat(value, 64); err == nil {
				q = v
			}
		}
	}
	return strings.ToLower(strings.TrimSpace(fields[0])), q
}
