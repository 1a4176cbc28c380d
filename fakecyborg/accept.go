package fakecyborg

import (
	"net/http"
	"strconv"
	"strings"
)

// mediaRange is one element of an Accept header.
type mediaRange struct {
	major, minor string
	quality      float64
}

// mediaRanges is an Accept header; it is empty when there is none.
type mediaRanges []mediaRange

// parseAccept reads the Accept header. One that holds anything but media ranges is
// none, as for WebOb.
func parseAccept(header http.Header) mediaRanges {
	var ranges mediaRanges
	for element := range strings.SplitSeq(strings.Join(header.Values("Accept"), ","), ",") {
		name, parameters, _ := strings.Cut(element, ";")
		major, minor, found := strings.Cut(strings.ToLower(strings.TrimSpace(name)), "/")
		if !found {
			if strings.TrimSpace(element) == "" {
				continue
			}
			return nil
		}
		ranges = append(ranges, mediaRange{major: major, minor: minor, quality: qualityOf(parameters)})
	}
	return ranges
}

// qualityOf reads the q parameter, 1 when there is none or it is no number.
func qualityOf(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if quality, err := strconv.ParseFloat(value, 64); err == nil && strings.EqualFold(key, "q") {
			return quality
		}
	}
	return 1
}

// quality is the rank of a media type: of the most specific range that matches, 0 for none.
func (r mediaRanges) quality(mediaType string) float64 {
	major, minor, _ := strings.Cut(mediaType, "/")
	best, quality := 0, 0.0
	for _, candidate := range r {
		specific := 0
		switch {
		case candidate.major == major && candidate.minor == minor:
			specific = 3
		case candidate.major == major && candidate.minor == "*":
			specific = 2
		case candidate.major == "*" && candidate.minor == "*":
			specific = 1
		}
		if specific > best {
			best, quality = specific, candidate.quality
		}
	}
	return quality
}

// broken says whether there is an Accept header that is none.
func (r mediaRanges) broken(header http.Header) bool {
	return len(r) == 0 && strings.Trim(header.Get("Accept"), ", ") != ""
}

// acceptsJSON says whether the client takes the server's answers; a client
// without Accept header takes everything.
func acceptsJSON(header http.Header) bool {
	ranges := parseAccept(header)
	return len(ranges) == 0 || strings.HasPrefix(header.Get("Accept"), "application/json") || ranges.quality("application/json") > 0
}
