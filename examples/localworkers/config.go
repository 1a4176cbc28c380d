package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// config is what the flags say.
type config struct {
	state     string
	start     command
	stop      command // empty: the start command is the server
	env       command
	bootDelay time.Duration
	max       elasticpool.Resources
	faults    string
}

func parseFlags(args []string, errs io.Writer) (config, error) {
	c := config{max: elasticpool.Resources{}}
	flags := flag.NewFlagSet("localworkers", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&c.state, "state", "", "`folder` in which servers are remembered")
	flags.Func("start", "`command` that is a server, or starts one if -stop is given", c.start.set)
	flags.Func("stop", "`command` that ends a server", c.stop.set)
	flags.Func("env", "`KEY=template` for the environment of commands; may be repeated", func(text string) error {
		if !strings.Contains(text, "=") {
			return fmt.Errorf("%q is not KEY=VALUE", text)
		}
		return c.env.add(text)
	})
	flags.DurationVar(&c.bootDelay, "boot-delay", 0, "how `long` a server takes to boot before its command starts")
	flags.Func("max", "limits of the cloud, such as `vms=8,cpus=16`; what is not named is not limited", func(text string) error {
		return parseResources(text, c.max)
	})
	flags.StringVar(&c.faults, "faults", "", "`file` with faults for tests")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	switch {
	case flags.NArg() > 0:
		return c, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case c.state == "":
		return c, errors.New("-state is missing")
	case len(c.start) == 0:
		return c, errors.New("-start is missing")
	case c.bootDelay < 0:
		return c, fmt.Errorf("-boot-delay %v is negative", c.bootDelay)
	}
	var err error
	c.state, err = filepath.Abs(c.state)
	return c, err
}

// parseResources adds what text says, such as vms=8,cpus=16.
func parseResources(text string, to elasticpool.Resources) error {
	for part := range strings.SplitSeq(text, ",") {
		name, amount, ok := strings.Cut(part, "=")
		n, err := strconv.ParseInt(amount, 10, 64)
		if !ok || name == "" || err != nil || n < 0 {
			return fmt.Errorf("%q is not NAME=AMOUNT", part)
		}
		to[name] = n
	}
	return nil
}
