// Hotplug gives the devices of bound ARQs to a guest of a libvirt, or takes them away.
//
//	go run . -connect qemu:///system -domain guest -arqs arqs.json            plug in
//	go run . -connect qemu:///system -domain guest -arqs arqs.json -unplug    unplug
//	go run . -domain test -arqs arqs.json                                     libvirt's test driver, test:///default, and
//	                                                                          the arqs.json beside this program
//
// It is a module of its own, because of the libvirt client. It talks to the libvirt daemon's socket (-socket), also for
// test:///default (which forgets when nobody is connected), and needs no C library. ARQs are as Cyborg shows them: a JSON
// list, or an object with the list under "arqs".
//
// A running guest gets its devices at once and for its next start, another one (and a guest of the test driver, which
// cannot plug) for its next start. A mediated device is created before, after a look at whether its parent offers the
// type, and removed after it is unplugged: the program waits until the guest has let the device go, at most for -timeout.
// If one device is refused, those plugged in before it are unplugged again. Repeating a command changes nothing.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "hotplug:", err)
		stop()
		os.Exit(1)
	}
}

// arguments are the flags of one run.
type arguments struct {
	connect, socket, domain, arqs string
	unplug                        bool
	timeout                       time.Duration
}

func parse(args []string, out io.Writer) (arguments, error) {
	var a arguments
	flags := flag.NewFlagSet("hotplug", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&a.connect, "connect", "test:///default", "libvirt `URI`, such as qemu:///system")
	flags.StringVar(&a.socket, "socket", "/var/run/libvirt/libvirt-sock", "`path` of the daemon's socket")
	flags.StringVar(&a.domain, "domain", "", "`name` of the guest")
	flags.StringVar(&a.arqs, "arqs", "", "`file` of the ARQs, JSON")
	flags.BoolVar(&a.unplug, "unplug", false, "take the devices away")
	flags.DurationVar(&a.timeout, "timeout", 30*time.Second, "how `long` a running guest may take to let a device go")
	if err := flags.Parse(args); err != nil {
		return a, err
	}
	if a.domain == "" || a.arqs == "" || flags.NArg() > 0 {
		return a, errors.New("give -domain and -arqs; -h lists the flags")
	}
	return a, nil
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	a, err := parse(args, out)
	if err != nil {
		return err
	}
	arqs, err := readARQs(a.arqs)
	if err != nil {
		return err
	}
	h, err := open(a.connect, a.socket, a.timeout, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	return h.change(ctx, a.domain, arqs, a.unplug)
}

// readARQs reads a list of ARQs, bare or as Cyborg's API wraps it.
func readARQs(name string) ([]cyborgclient.ARQ, error) {
	text, err := os.ReadFile(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, err
	}
	var wrapped struct {
		ARQs []cyborgclient.ARQ `json:"arqs"`
	}
	if err := json.Unmarshal(text, &wrapped); err == nil {
		return wrapped.ARQs, nil
	}
	var list []cyborgclient.ARQ
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}
