package main

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/stretchr/testify/assert"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// fakeEC2 answers EC2's query API, from memory.
type fakeEC2 struct {
	t      *testing.T
	server *httptest.Server

	mu        sync.Mutex
	instances []*fakeInstance
	last      url.Values        // of RunInstances
	fail      map[string]string // by action: an error's code
	lose      map[string]int    // by action: it is done, and so often no answer comes
	pages     int               // instances a page; 0: all
	calls     map[string]int
}

type fakeInstance struct {
	id, token, state string
	tags             map[string]string
}

func newFake(t *testing.T) *fakeEC2 {
	t.Helper()
	f := &fakeEC2{t: t, fail: map[string]string{}, lose: map[string]int{}, calls: map[string]int{}}
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	return f
}

// cloud returns the plugin's provider.
func (f *fakeEC2) cloud(most elasticpool.Resources) *cloud {
	c := newCloud(aws.Config{Region: "local", Credentials: credentials.NewStaticCredentialsProvider("AKID", "s3sam", "")},
		settings{endpoint: f.server.URL, max: most})
	c.api.rest = time.Millisecond
	return c
}

func (f *fakeEC2) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	assert.NoError(f.t, r.ParseForm())
	assert.True(f.t, strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=AKID/"), "it is signed")
	action := r.Form.Get("Action")
	f.calls[action]++
	if code := f.fail[action]; code != "" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, "<Response><Errors><Error><Code>%s</Code><Message>because of %s</Message></Error></Errors><RequestID>r-1</RequestID></Response>", code, code)
		return
	}
	body := f.do(action, r.Form)
	if f.lose[action] > 0 {
		f.lose[action]--
		connection, _, err := http.NewResponseController(w).Hijack()
		assert.NoError(f.t, err)
		_ = connection.Close()
		return
	}
	fmt.Fprintf(w, `<%sResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r-1</requestId>%s</%sResponse>`, action, body, action)
}

func (f *fakeEC2) do(action string, form url.Values) string {
	switch action {
	case "RunInstances":
		return f.run(form)
	case "DescribeInstances":
		return f.describe(form)
	case "TerminateInstances":
		return f.change(form, "shutting-down")
	case "StopInstances":
		return f.change(form, "stopped")
	case "StartInstances":
		return f.change(form, "pending")
	}
	assert.Fail(f.t, "unknown action "+action)
	return ""
}

func (f *fakeEC2) run(form url.Values) string {
	f.last = form
	token := form.Get("ClientToken")
	assert.NotEmpty(f.t, token)
	for _, instance := range f.instances {
		if instance.token == token {
			return "<reservationId>r-0</reservationId><instancesSet>" + instance.xml() + "</instancesSet>"
		}
	}
	made := &fakeInstance{id: fmt.Sprintf("i-%03d", len(f.instances)), token: token, state: "pending", tags: map[string]string{}}
	for n := 1; form.Has(fmt.Sprintf("TagSpecification.1.Tag.%d.Key", n)); n++ {
		made.tags[form.Get(fmt.Sprintf("TagSpecification.1.Tag.%d.Key", n))] = form.Get(fmt.Sprintf("TagSpecification.1.Tag.%d.Value", n))
	}
	f.instances = append(f.instances, made)
	return "<reservationId>r-0</reservationId><instancesSet>" + made.xml() + "</instancesSet>"
}

func (i *fakeInstance) xml() string {
	var tags strings.Builder
	for key, value := range i.tags {
		fmt.Fprintf(&tags, "<item><key>%s</key><value>%s</value></item>", escape(key), escape(value))
	}
	return fmt.Sprintf("<item><instanceId>%s</instanceId><instanceState><code>0</code><name>%s</name></instanceState><privateIpAddress>192.0.2.1</privateIpAddress>"+
		"<launchTime>2026-11-30T12:00:00.000Z</launchTime><placement><availabilityZone>local-a</availabilityZone></placement>"+
		"<cpuOptions><coreCount>2</coreCount><threadsPerCore>2</threadsPerCore></cpuOptions><tagSet>%s</tagSet></item>", i.id, i.state, tags.String())
}

func escape(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text))
	return out.String()
}

// matches tells whether an instance passes all filters of a request.
func (i *fakeInstance) matches(form url.Values) bool {
	for n := 1; form.Has(fmt.Sprintf("Filter.%d.Name", n)); n++ {
		name := form.Get(fmt.Sprintf("Filter.%d.Name", n))
		var values []string
		for v := 1; form.Has(fmt.Sprintf("Filter.%d.Value.%d", n, v)); v++ {
			values = append(values, form.Get(fmt.Sprintf("Filter.%d.Value.%d", n, v)))
		}
		key, isTag := strings.CutPrefix(name, "tag:")
		ok := false
		switch {
		case isTag:
			value, has := i.tags[key]
			ok = has && slices.Contains(values, value)
		case name == "tag-key":
			_, ok = i.tags[values[0]]
		case name == "instance-state-name":
			ok = slices.Contains(values, i.state)
		case name == "instance-id":
			ok = slices.Contains(values, i.id)
		}
		if !ok {
			return false
		}
	}
	return true
}

func (f *fakeEC2) describe(form url.Values) string {
	var found []*fakeInstance
	for _, instance := range f.instances {
		if instance.matches(form) {
			found = append(found, instance)
		}
	}
	next := ""
	if f.pages > 0 {
		from, _ := strconv.Atoi(form.Get("NextToken"))
		to := min(from+f.pages, len(found))
		if to < len(found) {
			next = fmt.Sprintf("<nextToken>%d</nextToken>", to)
		}
		found = found[from:to]
	}
	var list strings.Builder
	for _, instance := range found {
		list.WriteString("<item><instancesSet>" + instance.xml() + "</instancesSet></item>")
	}
	return "<reservationSet>" + list.String() + "</reservationSet>" + next
}

func (f *fakeEC2) change(form url.Values, state string) string {
	for _, instance := range f.instances {
		if instance.id == form.Get("InstanceId.1") {
			instance.state = state
		}
	}
	return "<instancesSet/>"
}

func (f *fakeEC2) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}
