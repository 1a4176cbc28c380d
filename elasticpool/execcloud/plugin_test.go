package execcloud

import (
	"context"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		command []string
		option  Option
		want    string
	}{
		{name: "no command", want: "without a command"},
		{name: "empty command", command: []string{""}, want: "without a command"},
		{name: "no logger", command: []string{"p"}, option: WithLogger(nil), want: "plugin p: logger is nil"},
		{name: "no time", command: []string{"p"}, option: WithTimeout(0), want: "plugin p: timeout 0s is below 1ms"},
		{name: "negative grace", command: []string{"p"}, option: WithGrace(-1), want: "plugin p: grace -1ns is negative"},
		{name: "back-off backwards", command: []string{"p"}, option: WithBackoff(2, 1), want: "goes backwards"},
		{name: "no user data function", command: []string{"p"}, option: WithUserData(nil), want: "plugin p: user data function is nil"},
		{name: "no back-off", command: []string{"p"}, option: WithBackoff(0, 1), want: "goes backwards"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var options []Option
			if test.option != nil {
				options = append(options, test.option)
			}
			_, err := New(test.command, options...)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestRequestsOnTheWire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		plugin, _ := scripted(t, func(p *peer) {
			for {
				line, err := p.in.next()
				if err != nil {
					return
				}
				lines = append(lines, string(line))
				asked, _ := parseRequest(line)
				switch asked.Method {
				case MethodCapabilities:
					p.say(`{"id":%d,"result":{"protocol":1,"methods":["create","delete","servers","limits"]}}`, asked.ID)
				case MethodCreate:
					p.created(asked.ID, "a")
				case MethodServers:
					p.say(`{"id":%d,"result":{"servers":[],"complete":true,"later":"versions may add keys"}}`, asked.ID)
				case MethodLimits:
					p.say(`{"id":%d,"result":{"total":{"vms":9},"free":{}}}`, asked.ID)
				default:
					p.say(`{"id":%d,"result":{}}`, asked.ID)
				}
			}
		}, WithTimeout(90*time.Second))
		ctx := t.Context()
		made, err := plugin.Create(ctx, elasticpool.ServerSpec{Pool: "farm", VM: "a", Name: "ep-farm-a", Queue: "juno", Generation: 3})
		require.NoError(t, err)
		assert.Equal(t, elasticpool.Server{ID: "s-a", VM: "a", Pool: "farm", Class: "cpu", Status: elasticpool.ServerActive}, made)
		list, complete, err := plugin.Servers(ctx, "farm")
		require.NoError(t, err)
		assert.Empty(t, list)
		assert.True(t, complete)
		limits, err := plugin.Limits(ctx)
		require.NoError(t, err)
		assert.Equal(t, elasticpool.Resources{"vms": 9}, limits.Total)
		short, cancel := context.WithTimeout(ctx, 1500*time.Millisecond)
		defer cancel()
		require.NoError(t, plugin.Delete(short, elasticpool.Server{ID: "s-a", VM: "a", Pool: "farm"}))
		require.NoError(t, plugin.Close())

		assert.Empty(t, cmp.Diff([]string{
			`{"id":1,"method":"capabilities","timeout_ms":90000,"params":{"protocols":[1]}}`,
			`{"id":2,"method":"create","timeout_ms":90000,"params":{"spec":{"pool":"farm","vm":"a","name":"ep-farm-a","queue":"juno",` +
				`"generation":3,"class":{"name":"","cloud":"","takes":null,"slot":null}},"tags":{"elasticpool.class":"","elasticpool.controller":"3",` +
				`"elasticpool.pool":"farm","elasticpool.queue":"juno","elasticpool.vm":"a"}}}`,
			`{"id":3,"method":"servers","timeout_ms":90000,"params":{"pool":"farm"}}`,
			`{"id":4,"method":"limits","timeout_ms":90000,"params":{}}`,
			`{"id":5,"method":"delete","timeout_ms":1500,"params":{"server":{"id":"s-a","vm":"a","pool":"farm","class":"","status":""}}}`,
		}, lines))
	})
}

func TestAnswersComeInAnyOrder(t *testing.T) {
	t.Parallel()
	const count = 20
	plugin, _ := scripted(t, func(p *peer) {
		if !p.hello() {
			return
		}
		var ids []int64
		for range count {
			asked, _ := p.next()
			ids = append(ids, asked.ID)
		}
		for i := range ids { // the last one first
			id := ids[len(ids)-1-i]
			p.say(`{"id":%d,"result":{"total":{"of":%d},"free":{}}}`, id, id)
		}
		p.next()
	})
	var wait sync.WaitGroup
	var sum atomic.Int64
	for range count {
		wait.Go(func() {
			if limits, err := plugin.Limits(t.Context()); assert.NoError(t, err) {
				sum.Add(limits.Total["of"])
			}
		})
	}
	wait.Wait()
	assert.EqualValues(t, count*(2+count+1)/2, sum.Load(), "each request has got its own answer")
}

func TestErrorsHaveTheirClass(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]error{
		"quota": elasticpool.ErrQuota, "capacity": elasticpool.ErrCapacity, "invalid": elasticpool.ErrInvalid,
		"unauthorized": elasticpool.ErrUnauthorized, "transient": elasticpool.ErrTransient,
		"unknown_outcome": elasticpool.ErrUnknownOutcome, "unsupported": elasticpool.ErrUnsupported,
		"busy": elasticpool.ErrTransient, "no_worker": elasticpool.ErrTransient, "": elasticpool.ErrTransient,
		"Quota": elasticpool.ErrTransient,
	} {
		t.Run("word "+word, func(t *testing.T) {
			t.Parallel()
			plugin, _ := scripted(t, func(p *peer) {
				p.hello()
				for {
					asked, ok := p.next()
					if !ok {
						return
					}
					p.say(`{"id":%d,"error":{"class":%q,"detail":"in the cloud's words"}}`, asked.ID, word)
				}
			})
			_, err := plugin.Create(t.Context(), spec("a"))
			require.ErrorIs(t, err, want)
			var cloud *elasticpool.CloudError
			require.ErrorAs(t, err, &cloud)
			assert.Equal(t, "in the cloud's words", cloud.Detail)
			require.ErrorIs(t, plugin.Delete(t.Context(), elasticpool.Server{ID: "s"}), want)
		})
	}
}

func TestNoAnswerInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		plugin, _ := scripted(t, func(p *peer) {
			p.hello()
			for _, ok := p.next(); ok; _, ok = p.next() {
			}
		}, WithTimeout(10*time.Second))
		began := time.Now()
		_, err := plugin.Create(t.Context(), spec("a"))
		require.ErrorIs(t, err, elasticpool.ErrUnknownOutcome)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 10*time.Second, time.Since(began))
		_, _, err = plugin.Servers(t.Context(), "farm")
		require.ErrorIs(t, err, elasticpool.ErrTransient)
		require.NotErrorIs(t, err, elasticpool.ErrUnknownOutcome)
	})
}

// An answer that cannot be understood is no answer: a list without "complete" or "servers" is not an empty list.
func TestUnclearResults(t *testing.T) {
	t.Parallel()
	create := func(p *Plugin) error {
		_, err := p.Create(t.Context(), spec("a"))
		return err
	}
	servers := func(p *Plugin) error {
		_, _, err := p.Servers(t.Context(), "farm")
		return err
	}
	limits := func(p *Plugin) error {
		_, err := p.Limits(t.Context())
		return err
	}
	remove := func(p *Plugin) error { return p.Delete(t.Context(), elasticpool.Server{ID: "s"}) }
	const good = `"id":"s","vm":"a","pool":"farm"`
	for _, test := range []struct {
		name   string
		do     func(*Plugin) error
		answer string // without its id
		class  error
	}{
		{"neither result nor error", create, ``, elasticpool.ErrUnknownOutcome},
		{"both", create, `,"result":{"server":{` + good + `}},"error":{"class":"quota"}`, elasticpool.ErrUnknownOutcome},
		{"null", create, `,"result":null`, elasticpool.ErrUnknownOutcome},
		{"number", create, `,"result":7`, elasticpool.ErrUnknownOutcome},
		{"no server", create, `,"result":{}`, elasticpool.ErrUnknownOutcome},
		{"no id", create, `,"result":{"server":{"vm":"a","pool":"farm"}}`, elasticpool.ErrUnknownOutcome},
		{"other VM", create, `,"result":{"server":{"id":"s","vm":"b","pool":"farm"}}`, elasticpool.ErrUnknownOutcome},
		{"other pool", create, `,"result":{"server":{"id":"s","vm":"a","pool":"barn"}}`, elasticpool.ErrUnknownOutcome},
		{"id of wrong type", create, `,"result":{"server":{"id":5,"vm":"a","pool":"farm"}}`, elasticpool.ErrUnknownOutcome},
		{"no list", servers, `,"result":{"complete":true}`, elasticpool.ErrTransient},
		{"null list", servers, `,"result":{"servers":null,"complete":true}`, elasticpool.ErrTransient},
		{"list that may be short or not", servers, `,"result":{"servers":[]}`, elasticpool.ErrTransient},
		{"server without id", servers, `,"result":{"servers":[{"vm":"a","pool":"farm"}],"complete":true}`, elasticpool.ErrTransient},
		{"complete in words", servers, `,"result":{"servers":[],"complete":"yes"}`, elasticpool.ErrTransient},
		{"no total", limits, `,"result":{"free":{}}`, elasticpool.ErrTransient},
		{"no free", limits, `,"result":{"total":{}}`, elasticpool.ErrTransient},
		{"half a CPU", limits, `,"result":{"total":{"cpus":0.5},"free":{}}`, elasticpool.ErrTransient},
		{"list for nothing", remove, `,"result":[]`, elasticpool.ErrTransient},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			plugin, _ := scripted(t, func(p *peer) {
				p.hello()
				asked, _ := p.next()
				p.say(`{"id":%d%s}`, asked.ID, test.answer)
				p.next()
			})
			err := test.do(plugin)
			require.ErrorIs(t, err, test.class)
			assert.Equal(t, elasticpool.ErrorWord(test.class), elasticpool.ErrorWord(err))
		})
	}
}

// Two pools in one project each see their own servers only, whatever the plugin says.
func TestForeignServersAreLeftOut(t *testing.T) {
	t.Parallel()
	plugin, _ := scripted(t, func(p *peer) {
		p.hello()
		asked, _ := p.next()
		p.say(`{"id":%d,"result":{"complete":false,"servers":[{"id":"1","vm":"a","pool":"farm","status":"active"},`+
			`{"id":"2","vm":"b","pool":"barn"},{"id":"3","pool":"farm"},{"id":"4","vm":"ep-farm-c"},`+
			`{"id":"5","vm":"d","pool":"farm","status":"BUILD"}]}}`, asked.ID)
		p.next()
	})
	list, complete, err := plugin.Servers(t.Context(), "farm")
	require.NoError(t, err)
	assert.False(t, complete)
	assert.Equal(t, []elasticpool.Server{
		{ID: "1", VM: "a", Pool: "farm", Status: elasticpool.ServerActive},
		{ID: "5", VM: "d", Pool: "farm", Status: elasticpool.ServerUnknown},
	}, list)
}

func TestLinesThatAreNoAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		lines string // %[1]d is the id of the request, %[2]d one that was never given
		says  string
	}{
		{"words", "warning: library is old", "not an answer"},
		{"nothing", "", "a line of 0 bytes"},
		{"two on a line", `{"id":%[1]d,"result":{}} {"id":%[1]d,"result":{}}`, "not an answer"},
		{"list", `[{"id":%[1]d}]`, "not an answer"},
		{"no id", `{"result":{}}`, "without id"},
		{"id in quotes", `{"id":"%[1]d","result":{}}`, "not an answer"},
		{"id with a fraction", `{"id":2.5,"result":{}}`, "not an answer"},
		{"id never given", `{"id":%[2]d,"result":{"total":{},"free":{}}}`, "never made"},
		{"negative id", `{"id":-%[1]d,"result":{"total":{},"free":{}}}`, "never made"},
		{"complaint", `{"id":0,"error":{"class":"invalid","detail":"what is this"}}`, "it complains: invalid: what is this"},
		{"answer of the handshake again", `{"id":1,"result":{}}`, "late or second answer"},
		{"too long", "\"" + strings.Repeat("x", testLine+1), "a line of more than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			plugin, logged := scripted(t, func(p *peer) {
				p.hello()
				asked, _ := p.next()
				p.say("%s", strings.NewReplacer("%[1]d", strconv.FormatInt(asked.ID, 10), "%[2]d", strconv.FormatInt(asked.ID+1, 10)).Replace(test.lines))
				p.say(`{"id":%d,"result":{"total":{"vms":1},"free":{}}}`, asked.ID)
				p.next()
			})
			limits, err := plugin.Limits(t.Context())
			require.NoError(t, err, "the right answer came behind")
			assert.Equal(t, elasticpool.Resources{"vms": 1}, limits.Total)
			assert.Contains(t, logged.String(), test.says)
		})
	}
}

func TestSecondAnswerIsNotTakenForAnother(t *testing.T) {
	t.Parallel()
	plugin, logged := scripted(t, func(p *peer) {
		p.hello()
		first, _ := p.next()
		p.say(`{"id":%d,"result":{"total":{"vms":1},"free":{}}}`, first.ID)
		second, _ := p.next()
		p.say(`{"id":%d,"result":{"total":{"vms":666},"free":{}}}`, first.ID)
		p.say(`{"id":%d,"result":{"total":{"vms":2},"free":{}}}`, second.ID)
		p.next()
	})
	for want := range int64(2) {
		limits, err := plugin.Limits(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want+1, limits.Total["vms"])
	}
	assert.Contains(t, logged.String(), "late or second answer")
}

func TestFaultIsToldWithTheMissingAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		plugin, _ := scripted(t, func(p *peer) {
			p.hello()
			p.next()
			p.say(`{"id":"two","result":{}}`)
			p.next()
		})
		_, err := plugin.Limits(t.Context())
		require.ErrorContains(t, err, "no answer; its last fault: a line of 24 bytes: not an answer")
	})
}

func TestPluginThatOnlyWritesRubbishIsEnded(t *testing.T) {
	t.Parallel()
	plugin, _ := scripted(t, func(p *peer) {
		p.hello()
		p.next()
		for range maxFaults + 1 {
			p.say("rubbish")
		}
		p.next()
	})
	_, err := plugin.Create(t.Context(), spec("a"))
	require.ErrorIs(t, err, elasticpool.ErrUnknownOutcome)
	require.ErrorContains(t, err, "it has written 101 lines that are no answers")
}

// A hung plugin is given up after three requests, and another process is asked.
func TestSilentPluginIsReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		plugin, _ := scripted(t, func(p *peer) {
			p.hello()
			for asked, ok := p.next(); ok; asked, ok = p.next() {
				if p.runs > 0 {
					p.say(`{"id":%d,"result":{"total":{},"free":{}}}`, asked.ID)
				}
			}
		}, WithTimeout(10*time.Second))
		for range maxSilent {
			_, err := plugin.Limits(t.Context())
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		_, err := plugin.Limits(t.Context())
		require.ErrorContains(t, err, "it is started again in 1s: it has not answered 3 requests in a row")
		time.Sleep(time.Second)
		_, err = plugin.Limits(t.Context())
		require.NoError(t, err)
	})
}

// What a caller takes back is no silence of the plugin.
func TestCallersThatGiveUpDoNotEndThePlugin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		plugin, _ := scripted(t, func(p *peer) {
			p.hello()
			for _, ok := p.next(); ok; _, ok = p.next() {
			}
		})
		for range 2 * maxSilent {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := plugin.Create(ctx, spec("a"))
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, elasticpool.ErrUnknownOutcome)
		}
	})
}

// A request that the plugin has surely not seen has a known outcome; one that is in its pipe has not.
func TestPluginThatStopsReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		plugin, _ := scripted(t, func(p *peer) {
			p.hello()
			<-t.Context().Done()
		}, WithTimeout(10*time.Second))
		_, err := plugin.Create(short(t, 2*time.Second), spec("a"))
		require.ErrorIs(t, err, elasticpool.ErrUnknownOutcome, "half of it may be in the pipe")
		_, err = plugin.Create(short(t, 2*time.Second), spec("b"))
		require.ErrorIs(t, err, elasticpool.ErrTransient, "it still waits behind the first one")
		require.ErrorContains(t, err, "it does not read")
		time.Sleep(6 * time.Second)
		_, err = plugin.Create(t.Context(), spec("c"))
		require.ErrorIs(t, err, elasticpool.ErrTransient)
		require.ErrorContains(t, err, "it has not read a request for 10s")
	})
}

func short(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

func TestDeadPluginRestsBeforeItIsStartedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var starts []time.Duration
		began := time.Now()
		plugin, _ := scripted(t, func(p *peer) {
			starts = append(starts, time.Since(began))
			p.hello()
			if asked, ok := p.next(); ok && p.runs == 6 { // the one that gets well
				p.say(`{"id":%d,"result":{"total":{},"free":{}}}`, asked.ID)
				time.Sleep(time.Minute)
			}
		}, WithBackoff(time.Second, 8*time.Second))
		good := 0
		for time.Since(began) < 2*time.Minute {
			_, err := plugin.Limits(t.Context())
			if err == nil {
				good++
			} else {
				require.ErrorIs(t, err, elasticpool.ErrTransient)
			}
			time.Sleep(time.Second / 4)
		}
		assert.Equal(t, 1, good)
		at := make([]float64, 0, len(starts))
		for _, start := range starts {
			at = append(at, start.Seconds())
		}
		assert.Equal(t, []float64{0, 1, 3, 7, 15, 23, 31 /* well for 60 s */, 92, 94, 98, 106, 114}, at)
	})
}

func TestPluginThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	plugin, err := New([]string{"./no/such/program"})
	require.NoError(t, err)
	_, err = plugin.Create(t.Context(), spec("a"))
	require.ErrorIs(t, err, elasticpool.ErrTransient, "surely nothing was made")
	require.ErrorContains(t, err, "create server ep-farm-a with plugin program: cloud failure: start it:")
	_, err = plugin.Create(t.Context(), spec("a"))
	require.ErrorContains(t, err, "it is started again in")
	require.NoError(t, plugin.Close())
}

func TestHandshake(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, answer string
		class        error
		want         string
	}{
		{"later protocol", `,"result":{"protocol":2,"methods":[]}`, elasticpool.ErrUnsupported, "it speaks protocol 2, not 1"},
		{"refused", `,"error":{"class":"unauthorized","detail":"no key"}`, elasticpool.ErrUnauthorized, "no key"},
		{"unclear", `,"result":[]`, elasticpool.ErrTransient, "handshake: unclear result"},
		{"cannot create", `,"result":{"protocol":1,"methods":["servers"]}`, elasticpool.ErrUnsupported, "create server"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			plugin, _ := scripted(t, func(p *peer) {
				asked, _ := p.next()
				p.say(`{"id":%d%s}`, asked.ID, test.answer)
				p.next()
			})
			_, err := plugin.Create(t.Context(), spec("a"))
			require.ErrorIs(t, err, test.class)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestClosedPluginDoesNothing(t *testing.T) {
	t.Parallel()
	var starts atomic.Int32
	plugin, _ := scripted(t, func(p *peer) {
		starts.Add(1)
		p.hello()
		p.next()
	})
	var wait sync.WaitGroup
	wait.Go(func() {
		_, err := plugin.Create(t.Context(), spec("a"))
		assert.Error(t, err)
	})
	require.NoError(t, plugin.Close())
	wait.Wait()
	_, err := plugin.Create(t.Context(), spec("a"))
	require.ErrorContains(t, err, "it was closed")
	require.NoError(t, plugin.Close(), "again")
	assert.LessOrEqual(t, starts.Load(), int32(1))
}

// Requests that are under way when the plugin is closed fail at once: a create's outcome is unknown then.
func TestCloseFailsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		plugin, _ := scripted(t, func(p *peer) {
			p.hello()
			for _, ok := p.next(); ok; _, ok = p.next() {
			}
		})
		failed := make(chan error, 1)
		go func() {
			_, err := plugin.Create(t.Context(), spec("a"))
			failed <- err
		}()
		synctest.Wait()
		require.NoError(t, plugin.Close())
		err := <-failed
		require.ErrorIs(t, err, elasticpool.ErrUnknownOutcome)
		require.ErrorIs(t, err, errClosed)
	})
}

func TestUserDataAreFilledIn(t *testing.T) {
	t.Parallel()
	failure := error(nil)
	plugin, _ := scripted(t, func(p *peer) {
		p.hello()
		asked, _ := p.next()
		assert.Contains(t, string(asked.Params), `"user_data":"#cloud-config\n# a"`)
		p.created(asked.ID, "a")
		p.next()
	}, WithUserData(func(_ context.Context, s elasticpool.ServerSpec) (string, error) {
		return s.Class.UserData + "# " + s.VM, failure
	}))
	_, err := plugin.Create(t.Context(), spec("a"))
	require.NoError(t, err)
	failure = &elasticpool.CloudError{Op: "user data", Class: elasticpool.ErrInvalid}
	_, err = plugin.Create(t.Context(), spec("a"))
	require.ErrorIs(t, err, elasticpool.ErrInvalid)
	failure = io.EOF
	_, err = plugin.Create(t.Context(), spec("a"))
	require.ErrorIs(t, err, elasticpool.ErrTransient)
	require.NotErrorIs(t, err, elasticpool.ErrUnknownOutcome)
}

func TestRequestThatIsTooLongIsNotSent(t *testing.T) {
	t.Parallel()
	plugin, _ := scripted(t, func(p *peer) {
		p.hello()
		p.next()
	})
	huge := spec("a")
	huge.Class.UserData = strings.Repeat("x", testLine)
	_, err := plugin.Create(t.Context(), huge)
	require.ErrorIs(t, err, elasticpool.ErrInvalid)
	require.ErrorIs(t, err, errLongLine)
	assert.Less(t, len(err.Error()), 200)
}
