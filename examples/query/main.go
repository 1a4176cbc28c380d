package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/internal/casefile"
	"github.com/novacyborg/novacyborg/requestspec"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintln(os.Stderr, "query:", line)
		}
		stop()
		os.Exit(1)
	}
}

// list is a flag that may be given several times.
type list []string

// String joins the values.
func (l *list) String() string { return strings.Join(*l, ",") }

// Set adds a value.
func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}

// amounts is a flag that may be given several times, each a class and an amount.
type amounts map[string]int64

// String lists the classes.
func (a *amounts) String() string {
	if len(*a) == 0 {
		return ""
	}
	return fmt.Sprint(map[string]int64(*a))
}

// Set adds a class.
func (a *amounts) Set(value string) error {
	class, number, _ := strings.Cut(value, "=")
	n, err := strconv.ParseInt(number, 10, 64)
	if class == "" || err != nil || n < 0 {
		return errors.New("want a class and a whole number, such as PGPU=1")
	}
	if *a == nil {
		*a = amounts{}
	}
	(*a)[class] = n
	return nil
}

// codeWords ends the help.
const codeWords = `
The code words of -jsonl, -mapping and -mappings are
  profile empty_group suffix_conflict bad_amount no_valid_host cpu_policy feature      what Nova refuses
  resource_class trait key base_class trait_only group_policy never_fits               strict mode's own, not with -lenient
  no_mapping not_supported mapping_missing arq_group_missing create_failed search_limit  of -mapping and -mappings
  bad_input                                                                            the line cannot be read
`

// arguments are the flags of one run.
type arguments struct {
	flavor, ports, image, explain, cloud   string
	profiles                               list
	largest                                amounts
	raw, lenient, jsonl, mapping, mappings bool
}

func parse(args []string, stdout io.Writer) (arguments, error) {
	var a arguments
	flags := flag.NewFlagSet("query", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error that is returned says it
	flags.StringVar(&a.flavor, "flavor", "", "`file` of the flavor, JSON or YAML, also as openstack flavor show -f json prints it; default: the built-in flavor.yaml and profile.yaml")
	flags.Var(&a.profiles, "profile", "`file` of the device profile, JSON or YAML; again for each profile of a port")
	flags.StringVar(&a.ports, "ports", "", "`file` of the ports, JSON or YAML: ports, each with id, vnic_type, device_profile, resource_request")
	flags.StringVar(&a.image, "image", "", "`file` of the image, JSON or YAML: properties")
	flags.StringVar(&a.explain, "explain", "", "ask the Placement at this `URL`, with the token of OS_TOKEN (default admin), why it finds no host")
	flags.StringVar(&a.cloud, "cloud", "", "ask the Placement in the catalog of this `NAME` in clouds.yaml why it finds no host")
	flags.Var(&a.largest, "largest", "`CLASS=N`: no provider has more than N of the class, so that a group of more is an error; again for each class")
	flags.BoolVar(&a.raw, "raw", false, "print the query string as it is sent")
	flags.BoolVar(&a.lenient, "lenient", false, "do what Nova does, instead of refusing what it would only warn about")
	flags.BoolVar(&a.jsonl, "jsonl", false, "answer one request per line of standard input")
	flags.BoolVar(&a.mapping, "mapping", false, "match groups without mappings, one case per line of standard input")
	flags.BoolVar(&a.mappings, "mappings", false, "match groups with mappings, one case per line of standard input")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(stdout)
		flags.Usage()
		_, _ = io.WriteString(stdout, codeWords)
		return a, err
	case err != nil:
		return a, fmt.Errorf("%w; -h lists the flags", err)
	case flags.NArg() > 0:
		return a, fmt.Errorf("unexpected argument %q; files are given by -flavor and -profile", flags.Arg(0))
	}
	var empty error
	flags.Visit(func(f *flag.Flag) {
		if f.Value.String() == "" {
			empty = fmt.Errorf("-%s is empty; -h lists the flags", f.Name)
		}
	})
	return a, cmp.Or(empty, a.check())
}

// check finds flags that do not go together.
func (a arguments) check() error {
	bulk := count(a.jsonl, a.mapping, a.mappings)
	switch {
	case len(a.profiles) > 0 && a.flavor == "":
		return errors.New("-profile needs -flavor")
	case bulk > 1 || bulk == 1 && (a.raw || len(a.largest) > 0 || a.flavor+a.ports+a.image+a.explain+a.cloud != "" || len(a.profiles) > 0):
		return errors.New("-jsonl, -mapping and -mappings read standard input and go with no other mode")
	case count(a.raw, a.explain != "", a.cloud != "") > 1:
		return errors.New("give one of -raw, -explain and -cloud")
	case a.explain != "":
		return checkURL(a.explain)
	}
	return nil
}

// checkURL refuses what is no URL of a server, such as an address without http://.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("-explain %q: want a URL such as http://127.0.0.1:8778/placement", text)
	}
	return nil
}

func count(flags ...bool) int {
	n := 0
	for _, set := range flags {
		if set {
			n++
		}
	}
	return n
}

func (a arguments) options() []requestspec.Option {
	if a.lenient {
		return []requestspec.Option{requestspec.Lenient()}
	}
	return nil
}

func (a arguments) mode() casefile.Mode {
	if a.lenient {
		return casefile.Lenient
	}
	return casefile.Strict
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	a, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	}
	out := bufio.NewWriter(stdout)
	switch {
	case a.jsonl:
		err = answerLines(ctx, a.mode(), stdin, out, func(c casefile.Query) answer { return answerQuery(c, a.mode()) })
	case a.mapping:
		err = answerLines(ctx, a.mode(), stdin, out, func(c casefile.Mapping) answer { return answerMapping(ctx, c) })
	case a.mappings:
		err = answerLines(ctx, a.mode(), stdin, out, func(c casefile.Mappings) answer { return answerMappings(ctx, c) })
	default:
		err = showQuery(ctx, a, out, stderr)
	}
	return errors.Join(err, out.Flush())
}

// showQuery prints the query of a flavor and a profile, and what was found on the way.
func showQuery(ctx context.Context, a arguments, out, stderr io.Writer) error {
	f, err := readFiles(a)
	if err != nil {
		return err
	}
	f.in.LargestProvider = a.largest
	in, err := resolve(a, f.in, f.profiles)
	if err != nil {
		return f.listed(err)
	}
	request, err := requestspec.Build(in, a.options()...)
	if err != nil {
		return f.listed(err)
	}
	for _, finding := range request.Findings {
		fmt.Fprintln(stderr, "note:", f.line(finding))
	}
	if a.explain+a.cloud != "" {
		return explain(ctx, a, request, out)
	}
	if a.raw {
		_, err = fmt.Fprintln(out, request.Query())
		return err
	}
	return prettyPrint(out, request.Query())
}

// prettyPrint prints one parameter a line, not escaped.
func prettyPrint(out io.Writer, query string) error {
	for parameter := range strings.SplitSeq(query, "&") {
		text, err := url.QueryUnescape(parameter)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, text); err != nil {
			return err
		}
	}
	return nil
}
