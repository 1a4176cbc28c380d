package main

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// urlFlag is a flag with an URL.
type urlFlag struct {
	name, value string
	// want is what the value should be.
	want string
	// other tells that it need not be an URL, nil for never.
	other func(value string) bool
}

func (s *settings) urlFlags() []urlFlag {
	return []urlFlag{
		{name: "placement", value: s.placement, want: "want " + embedded + ", or an URL such as http://127.0.0.1:8778", other: func(value string) bool { return value == embedded }},
		{name: "nova", value: s.nova, want: "want an URL such as http://127.0.0.1:8774/v2.1"},
		{name: "public-endpoint", value: s.manners.publicEndpoint, want: "want an URL such as https://cloud.example.org/accelerator"},
		{name: "keystone", value: s.keystone, want: "want an URL such as http://127.0.0.1:5000"},
		{name: "check", value: s.check, want: "want an URL such as http://127.0.0.1:6666, or a socket such as unix:/run/fakecyborg.sock", other: namesSocket},
	}
}

// namesSocket tells whether a value is that of a Unix socket.
func namesSocket(value string) bool {
	path, is := strings.CutPrefix(value, unixPrefix)
	return is && path != ""
}

func (s *settings) checkURLs() error {
	for _, flag := range s.urlFlags() {
		if flag.value == "" || flag.other != nil && flag.other(flag.value) {
			continue
		}
		u, err := url.Parse(flag.value)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return fmt.Errorf("-%s %q: %s", flag.name, withoutUser(flag.value), flag.want)
		}
		if u.User != nil {
			return fmt.Errorf("-%s: the URL must hold neither user nor password, which logs would show", flag.name)
		}
	}
	return nil
}

// withoutUser leaves out what may be user and password in what should be an URL.
func withoutUser(text string) string {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		return "(hidden)" + text[at:]
	}
	return text
}

// computeVersion is a part of the path of Nova's API.
var computeVersion = regexp.MustCompile(`/v2(\.[0-9]+)?(/|$)`)

// withComputeVersion adds the version to Nova's URL where it has none: a real Nova takes
// no events without it.
func withComputeVersion(nova string) (string, error) {
	u, err := url.Parse(nova)
	if err != nil || nova == "" || computeVersion.MatchString(u.Path) {
		return nova, err
	}
	return u.JoinPath("v2.1").String(), nil
}
