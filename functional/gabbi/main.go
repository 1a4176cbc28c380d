// Command gabbi serves an empty Placement in memory for run.py: on a free loopback port, until its standard input ends. The
// first line that it prints is the URL, which is also what ../placement.sh does with a real Placement.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer) error {
	server, err := placementtest.New(placementtest.WithDeprecatedPolicy())
	if err != nil {
		return err
	}
	if err := server.Listen("127.0.0.1:0"); err != nil {
		return err
	}
	fmt.Fprintln(out, server.URL())
	_, err = io.Copy(io.Discard, in)
	return errors.Join(err, server.Close())
}
