package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// writeHelp prints all flags of the table with their defaults.
func writeHelp(w io.Writer, flags *flag.FlagSet) error {
	_, err := io.WriteString(w, helpText(flags))
	return err
}

func helpText(flags *flag.FlagSet) string {
	var text strings.Builder
	text.WriteString("fakecyborg serves a fake OpenStack Cyborg until it gets SIGTERM.\n\n")
	flags.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(&text, "  %-26s %s%s\n", strings.TrimSpace("-"+f.Name+" "+value), usage, defaultOf(f))
	})
	fmt.Fprintf(&text, "\nWhat a flag does not say is taken from its variable: that of -placement-wait is %s.\n", variable("placement-wait"))
	return text.String()
}

func defaultOf(f *flag.Flag) string {
	switch f.DefValue {
	case "", "0", "0s", "false":
		return ""
	}
	return " (" + f.DefValue + ")"
}
