package opennebula

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func spec(vm string) elasticpool.ServerSpec {
	return elasticpool.ServerSpec{
		Pool: "farm", VM: vm, Name: elasticpool.ServerName("farm", vm), Queue: `ju"n<o`, Generation: 3,
		Class: elasticpool.Class{Name: "cpu", Flavor: "worker"},
	}
}

func create(t *testing.T, cloud *Cloud, vm string) elasticpool.Server {
	t.Helper()
	made, err := cloud.Create(t.Context(), spec(vm))
	require.NoError(t, err)
	return made
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	const good = "https://one.example.org:2633/RPC2"
	for _, test := range []struct {
		name, endpoint, auth string
		option               Option
		want                 string
	}{
		{"no password", good, "farmer", nil, "user:password"},
		{"empty password", good, "farmer:", nil, "user:password"},
		{"plain http", "http://one.example.org/RPC2", login, nil, "read the password"},
		{"login in URL", "https://a:b@one.example.org/RPC2", login, nil, "has a login in it"},
		{"no host", "/RPC2", login, nil, "has no host"},
		{"other scheme", "ftp://one/RPC2", login, nil, "neither https nor http"},
		{"no URL", "http://[::1", login, nil, "is no URL"},
		{"timeout", good, login, WithTimeout(0), "not above zero"},
		{"page", good, login, WithPageSize(2), "below 3"},
		{"transport", good, login, WithTransport(nil), "transport is nil"},
		{"user data", good, login, WithUserData(nil), "user data function is nil"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var options []Option
			if test.option != nil {
				options = append(options, test.option)
			}
			_, err := New(test.endpoint, test.auth, options...)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "s3sam")
		})
	}
	for _, endpoint := range []string{good, "http://localhost:2633/RPC2", "http://127.0.0.1/RPC2", "http://[::1]:2633/RPC2"} {
		_, err := New(endpoint, login+"\n")
		require.NoError(t, err, endpoint)
	}
	_, err := New("http://one.example.org/RPC2", login, WithPlainHTTP())
	require.NoError(t, err)
}

func TestLifeOfAVM(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	cloud := o.cloud()
	made := create(t, cloud, "A")
	assert.Equal(t, elasticpool.Server{
		ID: "100", VM: "A", Pool: "farm", Class: "cpu", Queue: `ju"n<o`, Generation: 3, Status: elasticpool.ServerBuilding,
	}, made)
	o.set(func() { o.vms[0].state, o.vms[0].lcm, o.vms[0].host = 3, 3, "node1" })
	list, complete, err := cloud.Servers(t.Context(), "farm")
	require.NoError(t, err)
	assert.True(t, complete)
	require.Len(t, list, 1)
	assert.WithinDuration(t, time.Now(), list[0].Created, time.Minute)
	list[0].Created = time.Time{}
	made.Status, made.Host, made.Addresses = elasticpool.ServerActive, "node1", []string{"192.0.2.100"}
	assert.Equal(t, made, list[0])

	require.NoError(t, cloud.Start(t.Context(), made), "it is on")
	require.NoError(t, cloud.Stop(t.Context(), made))
	require.NoError(t, cloud.Stop(t.Context(), made), "again")
	assert.Equal(t, 8, o.vms[0].state)
	require.NoError(t, cloud.Start(t.Context(), made))
	require.NoError(t, cloud.Delete(t.Context(), made))
	require.NoError(t, cloud.Delete(t.Context(), made), "it ends already")
	o.set(func() { o.vms[0].state, o.vms[0].lcm = 6, 0 })
	require.NoError(t, cloud.Delete(t.Context(), made), "it is done")
	require.ErrorIs(t, cloud.Stop(t.Context(), made), elasticpool.ErrInvalid)
	o.set(func() { o.vms = nil })
	require.NoError(t, cloud.Delete(t.Context(), made), "it is gone")
	assert.Equal(t, 1, count(o.calls, "one.template.instantiate"))
}

func count(all []string, one string) int {
	return len(all) - len(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == one }))
}

func TestWhatAClassAsksFor(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	cloud := o.cloud(WithUserData(func(_ context.Context, s elasticpool.ServerSpec) (string, error) { return "#!/bin/sh\n# " + s.VM, nil }))
	s := spec("A")
	s.Class.Flavor, s.Class.Image, s.Class.Network = "7", "alma 9 & co", "12"
	s.Class.Extra = map[string]string{"pci": "vendor=10de, class=0302; vendor=10ee,device=5001", "requirements": `CLUSTER = "gpu"`}
	_, err := cloud.Create(t.Context(), s)
	require.NoError(t, err)
	made := o.made(100)
	for _, part := range []string{
		"<DISK><IMAGE>alma 9 &amp; co</IMAGE></DISK>", "<NIC><NETWORK_ID>12</NETWORK_ID></NIC>",
		"<PCI><VENDOR>10de</VENDOR><CLASS>0302</CLASS></PCI><PCI><VENDOR>10ee</VENDOR><DEVICE>5001</DEVICE></PCI>",
		"<SCHED_REQUIREMENTS>CLUSTER = &#34;gpu&#34;</SCHED_REQUIREMENTS>",
		"<NETWORK>YES</NETWORK>", "<ELASTICPOOL_QUEUE>ju&#34;n&lt;o</ELASTICPOOL_QUEUE>",
		"<USER_DATA>" + base64.StdEncoding.EncodeToString([]byte("#!/bin/sh\n# A")) + "</USER_DATA><USER_DATA_ENCODING>base64</USER_DATA_ENCODING>",
	} {
		assert.Contains(t, made, part)
	}
	assert.Equal(t, 1, strings.Count(made, "<USER_DATA>")-strings.Count(made, "<USER_DATA>old"), "the template's own is replaced")
}

func TestRawTemplate(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	cloud := o.cloud()
	s := spec("A")
	s.Class.Flavor, s.Queue = "", "juno [all], x=1 #2"
	s.Class.Extra = map[string]string{"template": "CPU = 2\nMEMORY = 4096\nPCI = [ VENDOR = \"10de\" ]\n"}
	_, err := cloud.Create(t.Context(), s)
	require.NoError(t, err)
	made := o.made(100)
	assert.Contains(t, made, "PCI = [ VENDOR = \"10de\" ]\nELASTICPOOL_POOL = \"farm\"\n")
	assert.Contains(t, made, `ELASTICPOOL_QUEUE = "juno [all], x=1 #2"`)
	list, _, err := cloud.Servers(t.Context(), "farm")
	require.NoError(t, err)
	assert.Len(t, list, 1)
	s.Queue = `ju"no`
	_, err = cloud.Create(t.Context(), s)
	require.ErrorIs(t, err, elasticpool.ErrInvalid)
}

func TestClassesThatCannotBe(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	o.set(func() { o.names[8], o.names[9] = "twice", "twice" })
	cloud := o.cloud()
	for _, test := range []struct {
		name   string
		change func(*elasticpool.Class)
		want   string
	}{
		{"no flavor", func(c *elasticpool.Class) { c.Flavor = "" }, "flavor is missing"},
		{"unknown name", func(c *elasticpool.Class) { c.Flavor = "nobody" }, `0 templates have the name "nobody"`},
		{"two of that name", func(c *elasticpool.Class) { c.Flavor = "twice" }, `2 templates have the name "twice"`},
		{"unknown id", func(c *elasticpool.Class) { c.Flavor = "99" }, "Error getting virtual machine template [99]"},
		{"unknown extra", func(c *elasticpool.Class) { c.Extra = map[string]string{"colour": "red"} }, "extra.colour is not known"},
		{"bad pci", func(c *elasticpool.Class) { c.Extra = map[string]string{"pci": "vendor"} }, "extra.pci"},
		{"pci injection", func(c *elasticpool.Class) { c.Extra = map[string]string{"pci": "x]=1"} }, "extra.pci"},
		{"two templates", func(c *elasticpool.Class) { c.Extra = map[string]string{"template": "CPU=1"} }, "it excludes flavor"},
		{"context of its own", func(c *elasticpool.Class) {
			c.Flavor, c.Extra = "", map[string]string{"template": "CPU=1\ncontext = [ A = 1 ]"}
		}, "must not have a CONTEXT"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := spec("A")
			test.change(&s.Class)
			_, err := cloud.Create(t.Context(), s)
			require.ErrorIs(t, err, elasticpool.ErrInvalid)
			require.ErrorContains(t, err, test.want)
		})
	}
	t.Cleanup(func() { assert.Empty(t, o.vms) })
}

func TestErrorsAreClassed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		code         int
		text         string
		create, list error
	}{
		{"authentication", 0x100, "User couldn't be authenticated", elasticpool.ErrUnauthorized, elasticpool.ErrUnauthorized},
		{"authorization", 0x200, "User [5] : Not authorized to perform USE IMAGE [3].", elasticpool.ErrInvalid, elasticpool.ErrUnauthorized},
		{"quota of the user", 0x200, "User [5] : limit of 10 reached for VMS quota in VM.", elasticpool.ErrQuota, elasticpool.ErrQuota},
		{"quota of a network", 0x200, "limit of 3 reached for LEASES quota in NETWORK with ID: 2", elasticpool.ErrQuota, elasticpool.ErrQuota},
		{"gone", 0x400, "Error getting virtual machine template [7].", elasticpool.ErrInvalid, elasticpool.ErrInvalid},
		{"state", 0x800, "wrong state", elasticpool.ErrTransient, elasticpool.ErrTransient},
		{"argument", 0x1000, "Incorrect state filter", elasticpool.ErrInvalid, elasticpool.ErrInvalid},
		{"internal", 0x2000, "database is locked", elasticpool.ErrUnknownOutcome, elasticpool.ErrTransient},
		{"image", 0x4000, "Error allocating a new virtual machine. User 5 does not own an image with name: x.", elasticpool.ErrInvalid, elasticpool.ErrInvalid},
		{"address", 0x4000, "Error allocating a new virtual machine. Cannot get IP/MAC lease from virtual network 3.", elasticpool.ErrCapacity, elasticpool.ErrCapacity},
		{"space", 0x4000, "Not enough space in datastore", elasticpool.ErrCapacity, elasticpool.ErrCapacity},
		{"locked", 0x8000, "The resource is locked.", elasticpool.ErrTransient, elasticpool.ErrTransient},
		{"replication", 0x10000, "Error replicating log entry", elasticpool.ErrUnknownOutcome, elasticpool.ErrTransient},
		{"no such method", -506, "not defined", elasticpool.ErrUnsupported, elasticpool.ErrUnsupported},
		{"refused", -507, "too many", elasticpool.ErrTransient, elasticpool.ErrTransient},
		{"type", -501, "type", elasticpool.ErrInvalid, elasticpool.ErrInvalid},
		{"too long", -509, "limit", elasticpool.ErrInvalid, elasticpool.ErrInvalid},
		{"internal fault", -500, "internal", elasticpool.ErrUnknownOutcome, elasticpool.ErrTransient},
		{"time-out fault", -505, "timeout", elasticpool.ErrUnknownOutcome, elasticpool.ErrTransient},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := newOned(t)
			cloud := o.cloud()
			o.set(func() {
				o.text = test.text + " for " + login
				o.broken["one.template.instantiate"], o.broken["one.vmpool.infoextended"] = test.code, test.code
			})
			_, err := cloud.Create(t.Context(), spec("A"))
			assert.Equal(t, elasticpool.ErrorWord(test.create), elasticpool.ErrorWord(err))
			require.ErrorContains(t, err, strings.Fields(test.text)[0])
			require.NotContains(t, err.Error(), "s3sam")
			_, complete, err := cloud.Servers(t.Context(), "farm")
			assert.Equal(t, elasticpool.ErrorWord(test.list), elasticpool.ErrorWord(err))
			assert.False(t, complete)
		})
	}
}

// A lost answer of a create is an unknown outcome: the VM is there, and is found by its tag.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]func(http.ResponseWriter, string){
		"connection cut": func(w http.ResponseWriter, _ string) {
			connection, _, _ := w.(http.Hijacker).Hijack() //nolint:errcheck // it is a server's
			_ = connection.Close()
		},
		"half an answer": func(w http.ResponseWriter, answer string) { _, _ = w.Write([]byte(answer[:len(answer)/2])) },
		"bad gateway":    func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusBadGateway) },
		"a page":         func(w http.ResponseWriter, _ string) { _, _ = w.Write([]byte("<html><body>login</body></html>")) },
		"another answer": func(w http.ResponseWriter, _ string) { _, _ = w.Write([]byte(textAnswer("100"))) },
		"no answer":      func(http.ResponseWriter, string) { time.Sleep(400 * time.Millisecond) },
		"redirect": func(w http.ResponseWriter, _ string) {
			w.Header().Set("Location", "/")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"nothing at all": func(http.ResponseWriter, string) {},
		"empty array": func(w http.ResponseWriter, _ string) {
			_, _ = w.Write([]byte("<methodResponse><params><param><value><array><data/></array></value></param></params></methodResponse>"))
		},
		"document type": func(w http.ResponseWriter, answer string) {
			_, _ = w.Write([]byte(`<!DOCTYPE x [<!ENTITY a "b">]>` + answer))
		},
		"unknown entity": func(w http.ResponseWriter, _ string) {
			_, _ = w.Write([]byte("<methodResponse><params><param><value>&nbsp;</value></param></params></methodResponse>"))
		},
		"negative number": func(w http.ResponseWriter, _ string) { _, _ = w.Write([]byte(idAnswer(-1))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOned(t)
			cloud := o.cloud(WithTimeout(200 * time.Millisecond))
			o.set(func() { o.trouble["one.template.instantiate"] = trouble })
			_, err := cloud.Create(t.Context(), spec("A"))
			require.ErrorIs(t, err, elasticpool.ErrUnknownOutcome)
			require.NotContains(t, err.Error(), "s3sam")
			cloud.client.timeout = time.Minute
			list, complete, err := cloud.Servers(t.Context(), "farm")
			require.NoError(t, err)
			assert.True(t, complete)
			require.Len(t, list, 1)
			assert.Equal(t, "A", list[0].VM)
		})
	}
}

func TestFailureIsNoEmptyList(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	cloud := o.cloud(WithTimeout(200 * time.Millisecond))
	create(t, cloud, "A")
	for _, answer := range []string{"", textAnswer(""), textAnswer("<VM_POOL><VM>"), idAnswer(3), textAnswer("<VM_POOL><VM><ID>x</ID></VM></VM_POOL>")} {
		o.set(func() {
			o.trouble["one.vmpool.infoextended"] = func(w http.ResponseWriter, _ string) { _, _ = w.Write([]byte(answer)) }
		})
		_, complete, err := cloud.Servers(t.Context(), "farm")
		require.ErrorIs(t, err, elasticpool.ErrTransient, answer)
		assert.False(t, complete)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	cloud, err := New("http://"+listener.Addr().String()+"/RPC2", login)
	require.NoError(t, err)
	s := spec("A")
	s.Queue, s.Class.Flavor, s.Class.Extra = "juno", "", map[string]string{"template": "CPU=1"}
	_, err = cloud.Create(t.Context(), s)
	require.ErrorIs(t, err, elasticpool.ErrTransient, "surely nothing was made")
	require.NotErrorIs(t, err, elasticpool.ErrUnknownOutcome)
}

func TestQuotaIsReached(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	o.quota["VMS"] = 1
	cloud := o.cloud()
	create(t, cloud, "A")
	_, err := cloud.Create(t.Context(), spec("B"))
	require.ErrorIs(t, err, elasticpool.ErrQuota)
	o.set(func() { o.quota["VMS"], o.quota["MEMORY"] = 9, 5000 })
	_, err = cloud.Create(t.Context(), spec("B"))
	require.ErrorIs(t, err, elasticpool.ErrQuota)
}

func TestRestrictedAttributes(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	o.broken["restricted"] = 1
	s := spec("A")
	s.Class.Extra = map[string]string{"pci": "class=0302"}
	_, err := o.cloud().Create(t.Context(), s)
	require.ErrorIs(t, err, elasticpool.ErrInvalid)
	require.ErrorContains(t, err, "restricted attribute PCI")
}

// Two pools of one user, and a VM made by hand with a name that looks like ours: each pool has its own VMs only. Search by
// tag finds a pool whose name begins alike, and what it finds is looked at again.
func TestForeignVMsAreNeverTouched(t *testing.T) {
	t.Parallel()
	for _, search := range []bool{true, false} {
		t.Run(fmt.Sprintf("search %v", search), func(t *testing.T) {
			t.Parallel()
			o := newOned(t)
			o.search = search
			cloud := o.cloud()
			create(t, cloud, "A")
			other := spec("B")
			other.Pool = "farm2"
			theirs, err := cloud.Create(t.Context(), other)
			require.NoError(t, err)
			o.set(func() { o.vms = append(o.vms, &fakeVM{id: 300, uid: 5, state: 3, lcm: 3, name: "ep-farm-C"}) })
			list, complete, err := cloud.Servers(t.Context(), "farm")
			require.NoError(t, err)
			assert.True(t, complete)
			require.Len(t, list, 1)
			assert.Equal(t, "A", list[0].VM)
			for _, id := range []string{theirs.ID, "300"} {
				require.NoError(t, cloud.Delete(t.Context(), elasticpool.Server{ID: id, Pool: "farm", VM: "B"}))
				require.ErrorIs(t, cloud.Stop(t.Context(), elasticpool.Server{ID: id, Pool: "farm", VM: "B"}), elasticpool.ErrInvalid)
			}
			require.NoError(t, cloud.Delete(t.Context(), elasticpool.Server{ID: "100", Pool: "farm", VM: "Z"}), "the id is another VM's")
			assert.Zero(t, count(o.calls, "one.vm.action"))
			_, _, err = cloud.Servers(t.Context(), "farm")
			require.NoError(t, err)
			want := map[bool]int{true: 2, false: 3}[search] // it is told once that it cannot search
			assert.Equal(t, want, count(o.calls, "one.vmpool.infoextended"))
		})
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	for _, vms := range []int{0, 1, 3, 4, 5, 7, 10, 11} {
		t.Run(strconv.Itoa(vms), func(t *testing.T) {
			t.Parallel()
			o := newOned(t)
			cloud := o.cloud(WithPageSize(4))
			for i := range vms {
				create(t, cloud, fmt.Sprint("VM", i))
			}
			list, complete, err := cloud.Servers(t.Context(), "farm")
			require.NoError(t, err)
			assert.True(t, complete)
			assert.Len(t, list, vms)
		})
	}
}

// A VM that goes while the list is read shifts all behind it: without a look one of them would be missing, as if it were gone.
func TestListThatChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		changes  int
		complete bool
	}{{"once", 1, true}, {"all the time", 100, false}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := newOned(t)
			cloud := o.cloud(WithPageSize(4))
			for i := range 12 {
				create(t, cloud, fmt.Sprint("VM", i))
			}
			changes := test.changes
			o.set(func() {
				o.between = func() {
					if changes > 0 {
						changes--
						o.vms = o.vms[1:]
					}
				}
			})
			list, complete, err := cloud.Servers(t.Context(), "farm")
			require.NoError(t, err)
			assert.Equal(t, test.complete, complete)
			if complete {
				assert.Len(t, list, 11)
			}
		})
	}
}

// VCondor overwrote the list of images it had just fetched, and lost all VMs of images with like names: here a class says which template,
// by id or by a name that must be the only one, and the class of a server is its tag.
func TestVCondorImagesOverwritten(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	o.set(func() {
		o.names[8], o.templates[8] = "worker-juno", o.templates[7]
		o.names[9], o.templates[9] = "work", o.templates[7]
	})
	cloud := o.cloud()
	for _, vm := range []string{"A", "B"} {
		s := spec(vm)
		s.Class.Name, s.Class.Flavor = "class-"+vm, map[string]string{"A": "worker", "B": "worker-juno"}[vm]
		_, err := cloud.Create(t.Context(), s)
		require.NoError(t, err)
	}
	for range 2 {
		list, _, err := cloud.Servers(t.Context(), "farm")
		require.NoError(t, err)
		require.Len(t, list, 2)
		assert.Equal(t, []string{"class-A", "class-B"}, []string{list[0].Class, list[1].Class})
	}
}

// VCondor gave the password to a tool as an argument. Here it is in the body of requests only.
func TestVCondorPasswordOnTheCommandLine(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	watch := &watcher{carrier: &http.Transport{}}
	t.Cleanup(watch.carrier.CloseIdleConnections)
	cloud := o.cloud(WithTransport(watch))
	made := create(t, cloud, "A")
	_, err := cloud.Limits(t.Context())
	require.NoError(t, err)
	require.NoError(t, cloud.Delete(t.Context(), made))
	assert.NotEmpty(t, watch.heads)
	for _, head := range watch.heads {
		assert.NotContains(t, head, "s3sam")
	}
	assert.NotContains(t, fmt.Sprintf("%v %+v", *cloud.client.http, made), "s3sam")
}

// watcher notes what of requests everybody on the way may log.
type watcher struct {
	carrier *http.Transport
	heads   []string
}

func (w *watcher) RoundTrip(r *http.Request) (*http.Response, error) {
	w.heads = append(w.heads, fmt.Sprint(r.URL, r.Header))
	return w.carrier.RoundTrip(r)
}

// VCondor's OpenNebula branch used names that were never set, so each of its calls failed: here every method of the provider works without a
// server, with servers and when oned fails.
func TestVCondorUndefinedBranch(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	cloud := o.cloud()
	all := func() []error {
		server := elasticpool.Server{ID: "100", VM: "A", Pool: "farm"}
		_, create := cloud.Create(t.Context(), spec("A"))
		_, _, list := cloud.Servers(t.Context(), "farm")
		_, limits := cloud.Limits(t.Context())
		o.set(func() {
			if len(o.vms) > 0 {
				o.vms[0].state, o.vms[0].lcm = 3, 3
			}
		})
		return []error{create, list, limits, cloud.Stop(t.Context(), server), cloud.Start(t.Context(), server), cloud.Delete(t.Context(), server)}
	}
	for i, err := range all() {
		require.NoError(t, err, i)
	}
	o.server.Close()
	for i, err := range all() {
		require.ErrorIs(t, err, elasticpool.ErrTransient, i)
	}
	for _, id := range []string{"", "x", "-1", "1e3"} {
		require.ErrorIs(t, cloud.Delete(t.Context(), elasticpool.Server{ID: id}), elasticpool.ErrInvalid)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	o.quota = map[string]int{"VMS": 5, "CPU": -1, "MEMORY": 100000}
	cloud := o.cloud()
	create(t, cloud, "A")
	other := spec("B")
	other.Pool = "barn"
	_, err := cloud.Create(t.Context(), other)
	require.NoError(t, err)

	limits, err := cloud.Limits(t.Context())
	require.NoError(t, err)
	assert.Equal(t, elasticpool.Resources{"vms": 3, "cpus": 46, "memory_mb": 91808}, limits.Free)
	assert.Equal(t, limits.Free, limits.Total, "what is ours is not known yet")
	_, _, err = cloud.Servers(t.Context(), "farm")
	require.NoError(t, err)
	limits, err = cloud.Limits(t.Context())
	require.NoError(t, err)
	assert.Equal(t, elasticpool.Resources{"vms": 4, "cpus": 48, "memory_mb": 95904}, limits.Total)

	o.set(func() {
		device := func(class, vm string) string { return "<PCI><CLASS>" + class + "</CLASS><VMID>" + vm + "</VMID></PCI>" }
		share := "<HOST_SHARE><MAX_CPU>1650</MAX_CPU><CPU_USAGE>400</CPU_USAGE><MAX_MEM>33554432</MAX_MEM><MEM_USAGE>8388608</MEM_USAGE><PCI_DEVICES>" +
			device("0302", "-1") + device("0300", "100") + device("0302", "-1") + device("1200", "-1") + device("0c03", "-1") + "</PCI_DEVICES></HOST_SHARE>"
		o.hosts = "<HOST><STATE>2</STATE>" + share + "</HOST><HOST><STATE>4</STATE>" + share + "</HOST>"
	})
	limits, err = cloud.Limits(t.Context())
	require.NoError(t, err)
	assert.Equal(t, elasticpool.Resources{"vms": 3, "cpus": 12, "memory_mb": 24576, "gpus": 2, "fpgas": 1}, limits.Free)
	assert.Equal(t, int64(14), limits.Total["cpus"])

	o.set(func() { o.broken["one.hostpool.info"], o.text = 0x200, "not authorized" })
	limits, err = cloud.Limits(t.Context())
	require.NoError(t, err, "ordinary users do not see hosts")
	assert.NotContains(t, limits.Free, "gpus")
	o.set(func() { o.broken["one.user.info"] = 0x2000 })
	_, err = cloud.Limits(t.Context())
	require.ErrorIs(t, err, elasticpool.ErrTransient)
}

func TestStates(t *testing.T) {
	t.Parallel()
	for lcm := range 72 {
		_, known := lcmStates[lcm]
		assert.True(t, known, "LCM_STATE %d", lcm)
	}
	total := 0
	for _, numbers := range lifeCycle {
		total += len(numbers)
	}
	assert.Equal(t, 72, total, "none is named twice")
	for _, test := range []struct {
		state, lcm int
		want       elasticpool.ServerStatus
	}{
		{0, 0, "building"},
		{1, 0, "building"},
		{2, 0, "building"},
		{3, 1, "building"},
		{3, 3, "active"},
		{3, 16, "unknown"},
		{3, 18, "unknown"},
		{3, 12, "deleting"},
		{3, 36, "error"},
		{3, 39, "error"},
		{3, 99, "unknown"},
		{4, 0, "stopped"},
		{5, 3, "stopped"},
		{6, 0, "deleting"},
		{7, 0, "error"},
		{8, 0, "stopped"},
		{9, 0, "stopped"},
		{10, 0, "building"},
		{11, 0, "error"},
		{12, 3, "unknown"},
		{-1, 3, "unknown"},
	} {
		assert.Equal(t, test.want, statusOf(test.state, test.lcm), "STATE %d, LCM_STATE %d", test.state, test.lcm)
	}
}

// OpenNebula takes VMs that no host can have; they wait for ever. After a while that is a failure with the scheduler's reason.
func TestVMThatWaitsForAHost(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	cloud := o.cloud()
	create(t, cloud, "A")
	look := func() elasticpool.Server {
		list, _, err := cloud.Servers(t.Context(), "farm")
		require.NoError(t, err)
		require.Len(t, list, 1)
		return list[0]
	}
	o.set(func() {
		o.vms[0].user += "<SCHED_MESSAGE>Cannot dispatch VM: No host with enough capacity</SCHED_MESSAGE><VECTOR><A>1</A></VECTOR>"
	})
	assert.Equal(t, elasticpool.ServerBuilding, look().Status)
	o.set(func() { o.vms[0].started -= 121 })
	assert.Equal(t, elasticpool.ServerError, look().Status)
	assert.Contains(t, look().Fault, "No host with enough capacity")
	o.set(func() { o.vms[0].state, o.vms[0].lcm = 3, 39; o.vms[0].user += "<ERROR>disk image is broken</ERROR>" })
	assert.Equal(t, "disk image is broken", look().Fault)
}

// A VM in the middle of its boot cannot be ended yet: the delete is asked for again.
func TestDeleteWhileItBoots(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	cloud := o.cloud()
	made := create(t, cloud, "A")
	o.set(func() { o.vms[0].state, o.vms[0].lcm = 3, 2 })
	require.ErrorIs(t, cloud.Delete(t.Context(), made), elasticpool.ErrTransient)
	o.set(func() { o.vms[0].lcm = 3 })
	require.NoError(t, cloud.Delete(t.Context(), made))
}

// Three deletes at once are three deletes.
func TestDeletesAtTheSameTime(t *testing.T) {
	t.Parallel()
	o := newOned(t)
	cloud := o.cloud()
	var all []elasticpool.Server
	for i := range 5 {
		all = append(all, create(t, cloud, fmt.Sprint("VM", i)))
	}
	var wait sync.WaitGroup
	for _, server := range all[:3] {
		wait.Go(func() { assert.NoError(t, cloud.Delete(t.Context(), server)) })
	}
	wait.Wait()
	list, _, err := cloud.Servers(t.Context(), "farm")
	require.NoError(t, err)
	var states []elasticpool.ServerStatus
	for _, server := range list {
		states = append(states, server.Status)
	}
	assert.Equal(t, []elasticpool.ServerStatus{"deleting", "deleting", "deleting", "building", "building"}, states)
}
