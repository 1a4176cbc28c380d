package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/novacyborg/novacyborg/elasticpool/condor"
	"github.com/novacyborg/novacyborg/elasticpool/config"
)

func check(_ context.Context, p *program, flags *flag.FlagSet, args []string) error {
	path := flags.String("config", "", "configuration `file`")
	files := flags.Bool("files", false, "also read the files with secrets that it names")
	if err := parse(flags, args, 0, 0); err != nil {
		return err
	}
	c, err := loadConfig(p, *path)
	if err != nil {
		return err
	}
	if *files {
		if err := c.CheckFiles(); err != nil {
			return err
		}
	}
	fmt.Fprintf(p.stdout, "pool %s: %d queues, %d classes, %d clouds\n", c.Pool, len(c.Queues), len(c.Classes), len(c.Clouds))
	return nil
}

// workerConfig prints what the HTCondor of a worker needs, with the VM's id left to the template of user data.
func workerConfig(_ context.Context, p *program, flags *flag.FlagSet, args []string) error {
	if err := parse(flags, args, 1, 1); err != nil {
		return err
	}
	text, err := condor.WorkerConfig(flags.Arg(0), "{{.VM}}")
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(p.stdout, text)
	return err
}

func exampleConfig(_ context.Context, p *program, flags *flag.FlagSet, args []string) error {
	if err := parse(flags, args, 0, 0); err != nil {
		return err
	}
	_, err := fmt.Fprint(p.stdout, config.Example)
	return err
}
