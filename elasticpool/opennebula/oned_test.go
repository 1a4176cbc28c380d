package opennebula

import (
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// login is what the fake knows.
const login = "farmer:s3sam&<e>"

// oned is a fake of OpenNebula's daemon: it keeps state, and is as strict with arguments as xmlrpc-c. It shares no code with the client.
type oned struct {
	t      testing.TB
	server *httptest.Server

	mu        sync.Mutex
	vms       []*fakeVM
	last      int
	calls     []string
	templates map[int]string // inside TEMPLATE
	names     map[int]string
	quota     map[string]int // CPU, MEMORY, VMS
	hosts     string
	search    bool           // the database can
	broken    map[string]int // by method: 0x codes, faults below zero
	text      string         // of broken
	trouble   map[string]func(w http.ResponseWriter, answer string)
	between   func() // before each page but the first
}

// fakeVM is a VM of the fake.
type fakeVM struct {
	id, uid, state, lcm int
	name, cpu, memory   string
	user                string // inside USER_TEMPLATE
	template            string // inside TEMPLATE
	host                string
	started             int64
}

func newOned(t testing.TB) *oned {
	t.Helper()
	o := &oned{
		t: t, last: 99, search: true, quota: map[string]int{"VMS": -2, "CPU": -2, "MEMORY": -2},
		templates: map[int]string{7: `<CPU>2</CPU><MEMORY>4096</MEMORY><CONTEXT><NETWORK><![CDATA[YES]]></NETWORK><USER_DATA>old</USER_DATA></CONTEXT><DISK><IMAGE>alma</IMAGE></DISK>`},
		names:     map[int]string{7: "worker"},
		broken:    map[string]int{}, trouble: map[string]func(http.ResponseWriter, string){},
	}
	o.server = httptest.NewServer(o)
	t.Cleanup(o.server.Close)
	return o
}

func (o *oned) cloud(options ...Option) *Cloud {
	cloud, err := New(o.server.URL+"/RPC2", login, options...)
	require.NoError(o.t, err)
	o.t.Cleanup(cloud.client.http.CloseIdleConnections)
	return cloud
}

// signatures are what methods take behind the login; a small letter may be left out. s: string, i: int, b: boolean.
var signatures = map[string]string{
	"one.vmpool.infoextended": "IIIIs", "one.vm.info": "Ib", "one.vm.action": "SI", "one.vm.allocate": "SB",
	"one.template.instantiate": "ISBSB", "one.template.info": "Ibb", "one.templatepool.info": "III",
	"one.user.info": "Ib", "one.group.info": "Ib", "one.hostpool.info": "",
}

// methodCall is a call as the fake reads it.
type methodCall struct {
	XMLName xml.Name `xml:"methodCall"`
	Method  string   `xml:"methodName"`
	Values  []struct {
		String  *string `xml:"string"`
		Int     *string `xml:"i4"`
		Boolean *string `xml:"boolean"`
	} `xml:"params>param>value"`
}

func (o *oned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var call methodCall
	if err := xml.Unmarshal(body, &call); err != nil || r.Method != http.MethodPost || r.URL.Path != "/RPC2" {
		write(w, faultAnswer(-503, "Call is not valid XML"))
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, call.Method)
	answer := o.answer(call)
	if trouble := o.trouble[call.Method]; trouble != nil {
		delete(o.trouble, call.Method)
		trouble(w, answer)
		return
	}
	write(w, answer)
}

func write(w io.Writer, answer string) {
	_, _ = io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\r\n"+answer)
}

func faultAnswer(code int, text string) string {
	return fmt.Sprintf("<methodResponse>\r\n<fault>\r\n<value><struct>\r\n<member><name>faultCode</name>\r\n<value><i4>%d</i4></value></member>\r\n"+
		"<member><name>faultString</name>\r\n<value><string>%s</string></value></member>\r\n</struct></value>\r\n</fault>\r\n</methodResponse>\r\n", code, escape(text))
}

func answerOf(ok int, value string, code int) string {
	return fmt.Sprintf("<methodResponse>\r\n<params>\r\n<param><value><array><data>\r\n<value><boolean>%d</boolean></value>\r\n%s\r\n<value><i4>%d</i4></value>\r\n"+
		"<value><i4>-1</i4></value>\r\n</data></array></value></param>\r\n</params>\r\n</methodResponse>\r\n", ok, value, code)
}

func escape(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text))
	return out.String()
}

func textAnswer(text string) string {
	return answerOf(1, "<value><string>"+escape(text)+"</string></value>", 0)
}

func idAnswer(id int) string { return answerOf(1, fmt.Sprintf("<value><i4>%d</i4></value>", id), 0) }

func errorAnswer(code int, text string) string {
	return answerOf(0, "<value><string>"+escape(text)+"</string></value>", code)
}

// answer checks a call and does it.
func (o *oned) answer(call methodCall) string {
	signature, known := signatures[call.Method]
	if !known {
		return faultAnswer(-506, "Method '"+call.Method+"' not defined")
	}
	if len(call.Values) == 0 || call.Values[0].String == nil {
		return faultAnswer(-501, "Parameter that is supposed to be string is not")
	}
	arguments, ok := arguments(call, signature)
	if !ok {
		return faultAnswer(-501, "Parameter list does not fit "+signature)
	}
	if *call.Values[0].String != login {
		return errorAnswer(0x100, "["+call.Method+"] User couldn't be authenticated, aborting call.")
	}
	if code := o.broken[call.Method]; code < 0 {
		return faultAnswer(code, o.text)
	} else if code > 0 {
		return errorAnswer(code, "["+call.Method+"] "+o.text)
	}
	return o.do(call.Method, arguments)
}

// arguments checks and returns what is behind the login.
func arguments(call methodCall, signature string) ([]string, bool) {
	values := call.Values[1:]
	if len(values) > len(signature) {
		return nil, false
	}
	var found []string
	for i, kind := range signature {
		if i >= len(values) {
			return found, strings.ToLower(string(kind)) == string(kind)
		}
		value := map[rune]*string{'s': values[i].String, 'i': values[i].Int, 'b': values[i].Boolean}[kind|0x20]
		if value == nil {
			return nil, false
		}
		found = append(found, *value)
	}
	return found, true
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

func (o *oned) do(method string, a []string) string {
	switch method {
	case "one.vmpool.infoextended":
		return o.pool(atoi(a[0]), atoi(a[1]), atoi(a[2]), atoi(a[3]), slices.Concat(a, []string{""})[4])
	case "one.vm.info":
		if vm := o.vm(atoi(a[0])); vm != nil {
			return textAnswer(vm.xml())
		}
		return errorAnswer(0x400, "[one.vm.info] Error getting virtual machine ["+a[0]+"].")
	case "one.vm.action":
		return o.action(a[0], atoi(a[1]))
	case "one.vm.allocate":
		return o.allocate("raw", a[0])
	case "one.template.instantiate":
		return o.instantiate(atoi(a[0]), a[1], a[3])
	case "one.template.info":
		if template, ok := o.templates[atoi(a[0])]; ok {
			return textAnswer(fmt.Sprintf("<VMTEMPLATE><ID>%s</ID><NAME>%s</NAME><TEMPLATE>%s</TEMPLATE></VMTEMPLATE>", a[0], o.names[atoi(a[0])], template))
		}
		return errorAnswer(0x400, "[one.template.info] Error getting virtual machine template ["+a[0]+"].")
	case "one.templatepool.info":
		var list strings.Builder
		for id, name := range o.names {
			fmt.Fprintf(&list, "<VMTEMPLATE><ID>%d</ID><NAME>%s</NAME></VMTEMPLATE>", id, name)
		}
		return textAnswer("<VMTEMPLATE_POOL>" + list.String() + "</VMTEMPLATE_POOL>")
	case "one.user.info":
		return textAnswer("<USER><ID>5</ID><VM_QUOTA><VM><CLUSTER_IDS>1</CLUSTER_IDS><VMS>1</VMS><VMS_USED>1</VMS_USED></VM>" + o.quotas() +
			"</VM_QUOTA><DEFAULT_USER_QUOTAS><VM_QUOTA><VM><CPU>50.5</CPU><VMS>-2</VMS></VM></VM_QUOTA></DEFAULT_USER_QUOTAS></USER>")
	case "one.group.info":
		return textAnswer("<GROUP><ID>1</ID><VM_QUOTA/><DEFAULT_GROUP_QUOTAS><VM_QUOTA/></DEFAULT_GROUP_QUOTAS></GROUP>")
	}
	return textAnswer("<HOST_POOL>" + o.hosts + "</HOST_POOL>")
}

func (o *oned) used() (vms, memory int, cpu float64) {
	for _, vm := range o.vms {
		if vm.uid == 5 && vm.state != 6 {
			amount, _ := strconv.ParseFloat(vm.cpu, 64)
			vms, memory, cpu = vms+1, memory+atoi(vm.memory), cpu+amount
		}
	}
	return vms, memory, cpu
}

func (o *oned) quotas() string {
	vms, memory, cpu := o.used()
	return fmt.Sprintf("<VM><VMS><![CDATA[%d]]></VMS><VMS_USED>%d</VMS_USED><CPU>%d</CPU><CPU_USED>%g</CPU_USED><MEMORY>%d</MEMORY><MEMORY_USED>%d</MEMORY_USED></VM>",
		o.quota["VMS"], vms, o.quota["CPU"], cpu, o.quota["MEMORY"], memory)
}

func (o *oned) vm(id int) *fakeVM {
	for _, vm := range o.vms {
		if vm.id == id {
			return vm
		}
	}
	return nil
}

func (v *fakeVM) xml() string {
	return fmt.Sprintf("<VM><ID>%d</ID><UID>%d</UID><NAME>%s</NAME><STATE>%d</STATE><LCM_STATE>%d</LCM_STATE><STIME>%d</STIME>"+
		"<TEMPLATE><CPU>%s</CPU><MEMORY>%s</MEMORY><NIC><IP>192.0.2.%d</IP><MAC>02:00</MAC></NIC>%s</TEMPLATE><USER_TEMPLATE>%s</USER_TEMPLATE>"+
		"<HISTORY_RECORDS><HISTORY><SEQ>0</SEQ><HOSTNAME>old</HOSTNAME></HISTORY><HISTORY><SEQ>1</SEQ><HOSTNAME>%s</HOSTNAME></HISTORY></HISTORY_RECORDS></VM>",
		v.id, v.uid, v.name, v.state, v.lcm, v.started, v.cpu, v.memory, v.id, v.template, v.user, v.host)
}

// pool answers a page of VMs as src/pool/PoolSQL.cc does.
func (o *oned) pool(filter, start, end, state int, query string) string {
	if !o.search && query != "" {
		return errorAnswer(0x2000, "[one.vmpool.infoextended] JSON query search is not supported by the SQL backend")
	}
	if start > 0 && o.between != nil {
		o.between()
	}
	key, value, _ := strings.Cut(query, "=")
	tag := key[strings.LastIndex(key, ".")+1:]
	var found []*fakeVM
	for _, vm := range o.vms {
		_, after, _ := strings.Cut(vm.user, "<"+tag+">")
		content, _, _ := strings.Cut(after, "<")
		if (filter == -1 || vm.uid == 5) && (state != -1 || vm.state != 6) && (query == "" || strings.Contains(content, value)) {
			found = append(found, vm)
		}
	}
	if end < -1 {
		found = found[min(start, len(found)):]
		found = found[:min(-end, len(found))]
	}
	var list strings.Builder
	for _, vm := range found {
		list.WriteString(vm.xml())
	}
	return textAnswer("<VM_POOL>" + list.String() + "</VM_POOL>")
}

func (o *oned) action(action string, id int) string {
	vm := o.vm(id)
	if vm == nil {
		return errorAnswer(0x400, fmt.Sprintf("[one.vm.action] Error getting virtual machine [%d].", id))
	}
	wrong := errorAnswer(0x800, fmt.Sprintf("[one.vm.action] Error performing action \"%s\": This action is not available for state %d", action, vm.lcm))
	switch {
	case action == "terminate-hard" && vm.state == 3 && (vm.lcm == 1 || vm.lcm == 2):
		return wrong
	case action == "terminate-hard":
		vm.state, vm.lcm = 3, 11
	case action == "poweroff" && vm.state == 3 && vm.lcm == 3:
		vm.state, vm.lcm = 8, 0
	case action == "resume" && vm.state == 8:
		vm.state, vm.lcm = 3, 20
	default:
		return wrong
	}
	return idAnswer(id)
}

// instantiate merges a template and what is added, as Template::merge does.
func (o *oned) instantiate(id int, name, added string) string {
	template, ok := o.templates[id]
	if !ok {
		return errorAnswer(0x400, fmt.Sprintf("[one.template.instantiate] Error getting virtual machine template [%d].", id))
	}
	if strings.Contains(added, "<PCI>") && o.broken["restricted"] > 0 {
		return errorAnswer(0x200, "[one.template.instantiate] User [5] : Not authorized: VM Template includes a restricted attribute PCI.")
	}
	return o.allocate(name, "<TEMPLATE>"+template+strings.TrimPrefix(added, "<TEMPLATE>"))
}

func (o *oned) allocate(name, template string) string {
	vms, memory, _ := o.used()
	if limit := o.quota["VMS"]; limit >= 0 && vms+1 > limit {
		return errorAnswer(0x200, fmt.Sprintf("[one.template.instantiate] User [5] : limit of %d reached for VMS quota in VM.", limit))
	}
	if limit := o.quota["MEMORY"]; limit >= 0 && memory+4096 > limit {
		return errorAnswer(0x200, fmt.Sprintf("[one.template.instantiate] User [5] : user [5] limit of %d reached for MEMORY quota in VM.", limit))
	}
	o.last++
	var user strings.Builder
	if strings.HasPrefix(template, "<") {
		var parsed struct {
			All []struct {
				XMLName xml.Name
				Text    string `xml:",chardata"`
				Inner   string `xml:",innerxml"`
			} `xml:",any"`
		}
		if err := xml.Unmarshal([]byte(template), &parsed); err != nil {
			return errorAnswer(0x4000, "[one.template.instantiate] Error allocating a new virtual machine. Parse error")
		}
		for _, one := range parsed.All {
			if strings.HasPrefix(one.XMLName.Local, "ELASTICPOOL_") {
				fmt.Fprintf(&user, "<%s>%s</%s>", one.XMLName.Local, escape(one.Text), one.XMLName.Local)
			}
		}
	} else {
		for line := range strings.SplitSeq(template, "\n") {
			if key, value, ok := strings.Cut(line, " = "); ok && strings.HasPrefix(key, "ELASTICPOOL_") {
				fmt.Fprintf(&user, "<%s>%s</%s>", key, escape(strings.Trim(value, `"`)), key)
			}
		}
	}
	o.vms = append(o.vms, &fakeVM{
		id: o.last, uid: 5, state: 1, name: name, cpu: "2", memory: "4096", user: user.String(), template: template, started: time.Now().Unix(),
	})
	o.vms[len(o.vms)-1].template = "<!-- " + base64.StdEncoding.EncodeToString([]byte(template)) + " -->"
	return idAnswer(o.last)
}

// made returns the template that a VM was made of.
func (o *oned) made(id int) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := strings.TrimSuffix(strings.TrimPrefix(o.vm(id).template, "<!-- "), " -->")
	made, err := base64.StdEncoding.DecodeString(text)
	require.NoError(o.t, err)
	return string(made)
}

// set changes the fake.
func (o *oned) set(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}
