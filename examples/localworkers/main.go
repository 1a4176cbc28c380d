// Command localworkers is a cloud of the elastic pool whose servers are processes of this machine: a plugin for package
// execcloud. A server is whatever a command starts, such as a real HTCondor worker; that makes a whole pool testable on one
// machine.
//
//	localworkers -state DIR -start 'worker.sh {{.VM}} {{.CPUs}} {{.MemoryMB}}'
//	localworkers -state DIR -start 'up.sh worker {{.VM}} {{.CPUs}}' -stop 'down.sh {{.VM}}' -boot-delay 3s -max vms=8,cpus=16
//
// Without -stop the start command is the server: the server is there as long as it runs, and a delete ends its process group. With
// -stop the start command starts something and ends: exit code 0 means that the server is up; a delete runs the stop command.
//
// Commands are split at blanks, and each part is a template of text/template: VM, Name, Pool, Queue, Class, CPUs, MemoryMB, DiskMB,
// GPUs, FPGAs, Zone, and Extra, a map. No shell reads them. They run in a session of their own, with the environment of
// the plugin, what -env adds, and ELASTICPOOL_VM, _NAME, _POOL, _QUEUE, _CLASS, _CPUS, _MEMORY_MB, _DISK_MB, _GPUS, _FPGAS and
// _TAGS (a JSON object). What they print goes to DIR/VM.log.
//
// All that is known of servers is in the state folder, a JSON file each, so that neither the death of the plugin nor of the
// pool loses one. One plugin has the folder; another one that only reads (elasticpool plan) may look on. -faults names a file that makes requests fail, for tests; README.md has its form.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/novacyborg/novacyborg/elasticpool/execcloud"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "localworkers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) error {
	c, err := parseFlags(args, errs)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(errs, nil))
	open := openStore
	if execcloud.ReadOnly() {
		open = readStore
	}
	store, err := open(ctx, c.state, log)
	if err != nil {
		return err
	}
	defer store.close()
	return execcloud.Serve(ctx, in, out, &faulty{cloud: newCloud(c, store, log), file: c.faults})
}
