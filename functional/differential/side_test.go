package differential_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// side is one of the two services.
type side struct {
	base     *url.URL
	client   *http.Client
	tokens   map[string]string   // by user
	told     map[string][]string // what references stand for, by step
	switched bool                // the device, for the first time
}

// answer is what a service said.
type answer struct {
	status int
	header http.Header
	body   string
}

// newSide is a service at an address such as http://127.0.0.1:6666.
func newSide(address string, tokens map[string]string) (*side, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{DisableCompression: true, DisableKeepAlives: true}
	return &side{base: base, client: &http.Client{
		Transport: transport, Timeout: 2 * time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, tokens: tokens, told: make(map[string][]string)}, nil
}

// send sends a step.
func (s *side) send(ctx context.Context, st step) (answer, error) {
	request, err := s.request(ctx, st)
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", st, err)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", st, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, fmt.Errorf("%s: read the answer: %w", st, err)
	}
	if response.Close { // net/http takes the header away
		response.Header.Set("Connection", "close")
	}
	a := answer{status: response.StatusCode, header: response.Header, body: string(body)}
	s.learn(st, a)
	return a, nil
}

func (s *side) request(ctx context.Context, st step) (*http.Request, error) {
	path, query, _ := strings.Cut(resolve(st.target, s.told), "?")
	var body io.Reader
	if st.bodied {
		body = strings.NewReader(resolve(st.body, s.told))
	}
	request, err := http.NewRequestWithContext(ctx, st.method, s.base.String(), body)
	if err != nil {
		return nil, err
	}
	request.URL = &url.URL{Scheme: s.base.Scheme, Host: s.base.Host, Opaque: path, RawQuery: query}
	for name, value := range st.header {
		request.Header.Set(name, value)
	}
	if host := st.header["Host"]; host != "" {
		request.Host = host
	}
	for name, user := range map[string]string{"X-Auth-Token": st.user, "X-Service-Token": st.service} {
		if user != "" {
			request.Header.Set(name, s.tokens[user])
		}
	}
	return request, nil
}

// toldForm is an object's uuid in an answer.
var toldForm = regexp.MustCompile(`"uuid": ?"([^"]+)"`)

// learn keeps the uuids that the answer to a step told.
func (s *side) learn(st step, a answer) {
	if !st.mutates() || a.status >= http.StatusMultipleChoices {
		return
	}
	for _, match := range toldForm.FindAllStringSubmatch(a.body, -1) {
		key := strconv.Itoa(st.id)
		s.told[key] = append(s.told[key], match[1])
	}
}

// forget drops what the steps of a sequence told, and keeps what was there before.
func (s *side) forget() {
	for key := range s.told {
		if _, err := strconv.Atoi(key); err == nil {
			delete(s.told, key)
		}
	}
}
