package main

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func drain(ctx context.Context, p *program, flags *flag.FlagSet, args []string) error {
	return target(ctx, p, flags, args, elasticpool.CmdDrain)
}

func undrain(ctx context.Context, p *program, flags *flag.FlagSet, args []string) error {
	return target(ctx, p, flags, args, elasticpool.CmdUndrain)
}

func forget(ctx context.Context, p *program, flags *flag.FlagSet, args []string) error {
	return target(ctx, p, flags, args, elasticpool.CmdForget)
}

// target gives a command that is meant for a VM, class, queue or cloud.
func target(ctx context.Context, p *program, flags *flag.FlagSet, args []string, kind elasticpool.CommandKind) error {
	return order(ctx, p, flags, args, 2, func(args []string) (elasticpool.Command, error) {
		c := elasticpool.Command{Kind: kind}
		switch args[0] {
		case "vm":
			c.VM = args[1]
		case "class":
			c.Class = args[1]
		case "queue":
			c.Queue = args[1]
		case "cloud":
			c.Cloud = args[1]
		default:
			return c, fmt.Errorf("%w: %q is none of vm, class, queue, cloud", errUsage, args[0])
		}
		return c, nil
	})
}

func freeze(ctx context.Context, p *program, flags *flag.FlagSet, args []string) error {
	return order(ctx, p, flags, args, 0, func([]string) (elasticpool.Command, error) {
		return elasticpool.Command{Kind: elasticpool.CmdFreeze}, nil
	})
}

func thaw(ctx context.Context, p *program, flags *flag.FlagSet, args []string) error {
	return order(ctx, p, flags, args, 0, func([]string) (elasticpool.Command, error) {
		return elasticpool.Command{Kind: elasticpool.CmdThaw}, nil
	})
}

// order sends one command to the running pool.
func order(ctx context.Context, p *program, flags *flag.FlagSet, args []string, n int, of func([]string) (elasticpool.Command, error)) error {
	var c connection
	c.define(flags)
	why := flags.String("why", "", "a `reason`, which status shows")
	if err := parse(flags, args, n, n); err != nil {
		return err
	}
	command, err := of(flags.Args())
	if err != nil {
		return err
	}
	return send(ctx, p, c, command, *why)
}

func send(ctx context.Context, p *program, c connection, command elasticpool.Command, why string) error {
	client, err := c.client(p)
	if err != nil {
		return err
	}
	command.By, command.Why = p.environ("USER"), why
	if err := client.Do(ctx, command); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, command)
	return nil
}

func quotas(ctx context.Context, p *program, flags *flag.FlagSet, args []string) error {
	var c connection
	c.define(flags)
	lower := flags.Int64("lower", -1, "set the lower threshold, a `number` of VMs")
	upper := flags.Int64("upper", -1, "set the upper threshold, a `number` of VMs; 0 for none")
	weight := flags.Float64("weight", -1, "set the weight, a `number` above 0")
	reset := flags.Bool("reset", false, "let the configuration's values hold again")
	why := flags.String("why", "", "a `reason`, which status shows")
	if err := parse(flags, args, 0, 1); err != nil {
		return err
	}
	command := elasticpool.Command{Kind: elasticpool.CmdSetQuota, Queue: flags.Arg(0)}
	flags.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "lower":
			command.Lower = lower
		case "upper":
			command.Upper = upper
		case "weight":
			command.Weight = weight
		}
	})
	if *reset {
		command = elasticpool.Command{Kind: elasticpool.CmdResetQuota, Queue: command.Queue}
	} else if command.Lower == nil && command.Upper == nil && command.Weight == nil {
		return showQuotas(ctx, p, c, flags.Arg(0))
	}
	if command.Queue == "" {
		return fmt.Errorf("%w: say of which queue", errUsage)
	}
	return send(ctx, p, c, command, *why)
}

func showQuotas(ctx context.Context, p *program, c connection, only string) error {
	client, err := c.client(p)
	if err != nil {
		return err
	}
	s, err := client.Status(ctx)
	if err != nil {
		return err
	}
	leased := map[string]int{}
	for _, lease := range s.Leases {
		leased[lease.Queue] += lease.Units
	}
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "QUEUE\tLOWER\tUPPER\tWEIGHT\tSERVING\tCOMING\tTARGET\tLEASED\tSHARE")
	found := false
	for _, q := range s.Decision.Queues {
		if only != "" && q.Name != only {
			continue
		}
		found = true
		upper := "-"
		if q.Upper >= 0 {
			upper = strconv.FormatInt(q.Upper, 10)
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%g\t%d\t%d\t%d\t%d\t%.3f\n", q.Name, q.Lower, upper, q.Weight, q.Serving, q.Coming, q.Target, leased[q.Name], q.Share)
	}
	if !found && only != "" {
		return fmt.Errorf("the pool has no queue %s", only)
	}
	return table.Flush()
}
