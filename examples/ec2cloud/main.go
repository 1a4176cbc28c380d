// Command ec2cloud is Amazon EC2, or what speaks its API, as a cloud of the elastic pool: a plugin for package execcloud. It is a module
// of its own, so that nobody else gets its dependencies. README.md tells how classes are written.
//
// It was tried against a fake of EC2's API only, never against the real one.
//
//	ec2cloud -region eu-central-1 -max vms=50,cpus=400
//	ec2cloud -region local -endpoint http://127.0.0.1:8773/
//
// Credentials are found as by every tool of AWS: in the environment, in its files, or by the machine's role; never in flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/execcloud"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "ec2cloud:", err)
		os.Exit(1)
	}
}

// settings are what the flags say.
type settings struct {
	region   string
	endpoint string
	max      elasticpool.Resources
}

func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) error {
	s, err := parseFlags(args, errs)
	if err != nil {
		return err
	}
	var options []func(*config.LoadOptions) error
	if s.region != "" {
		options = append(options, config.WithRegion(s.region))
	}
	loaded, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return err
	}
	return execcloud.Serve(ctx, in, out, newCloud(loaded, s))
}

func parseFlags(args []string, errs io.Writer) (settings, error) {
	s := settings{max: elasticpool.Resources{}}
	flags := flag.NewFlagSet("ec2cloud", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&s.region, "region", "", "`region`; without it that of the environment")
	flags.StringVar(&s.endpoint, "endpoint", "", "`URL` in place of Amazon's: https, or http on this machine")
	flags.Func("max", "what the pool may take, such as `vms=50,cpus=400`; what is not named is not limited", func(text string) error {
		return parseMax(text, s.max)
	})
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return s, checkEndpoint(s.endpoint)
}

// parseMax reads limits. EC2 tells only how many instances and virtual CPUs are in use.
func parseMax(text string, to elasticpool.Resources) error {
	for part := range strings.SplitSeq(text, ",") {
		name, amount, _ := strings.Cut(part, "=")
		n, err := strconv.ParseInt(amount, 10, 64)
		if err != nil || n < 0 || name != elasticpool.VMs && name != elasticpool.CPUs {
			return fmt.Errorf("%q is neither vms=AMOUNT nor cpus=AMOUNT", part)
		}
		to[name] = n
	}
	return nil
}

func checkEndpoint(endpoint string) error {
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.User != nil {
		return errors.New("-endpoint is no URL of a server without a login in it")
	}
	ip := net.ParseIP(u.Hostname())
	loopback := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback) {
		return fmt.Errorf("-endpoint %s: must be https, or http on this machine", endpoint)
	}
	return nil
}
