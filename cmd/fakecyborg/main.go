// Command fakecyborg serves a fake OpenStack Cyborg, and with it, if asked, a
// Placement in memory.
//
//	fakecyborg -listen 127.0.0.1:6666 -seed seed.yaml -placement embedded
//
// It prints the addresses that it serves, one a line, then answers until it
// gets SIGTERM or SIGINT. No token is asked for: every caller is admin.
// A request has 10 seconds for its header, 30 for its body, and 16 MiB; its
// answer may take as long as it needs. What is still open 5 seconds after the
// signal is cut off and named in the log.
// GET /_fake/health is 200 once the seed is loaded and reported to Placement.
//
// The example seed beside this file has two hosts with FPGA and GPU cards. A
// bad seed ends the program with exit code 1 and one line that names file, line
// and key; wrong flags end it with 2.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program; the result is its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := parseFlags(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case s.version:
		fmt.Fprintln(stdout, versionText())
		return 0
	}
	if err := serve(ctx, s, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "fakecyborg: %v\n", err)
		return 1
	}
	return 0
}
