package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

// variablePrefix is what the variables of flags start with.
const variablePrefix = "FAKECYBORG_"

// variable is the name of a flag's variable: FAKECYBORG_PLACEMENT_WAIT of
// -placement-wait.
func variable(flagName string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// readEnvironment sets the flags that the command line does not set by their
// variables; an empty variable counts as not set. Variables that start as ours
// do and belong to no flag are refused: a misspelled one must not be overlooked.
func readEnvironment(flags *flag.FlagSet, environ []string) error {
	given := make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	known := make(map[string]string)
	flags.VisitAll(func(f *flag.Flag) { known[variable(f.Name)] = f.Name })
	for _, line := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, variablePrefix) || ofKubernetes(name) {
			continue
		}
		flagName, is := known[name]
		switch {
		case !is:
			return fmt.Errorf("the environment has %s, which no flag has%s", name, didYouMean(name, variables(known), ""))
		case value == "" || given[flagName]:
			continue
		}
		if err := flags.Set(flagName, value); err != nil {
			return fmt.Errorf("the environment has %s=%q: %w", name, value, err)
		}
	}
	return nil
}

// ofKubernetes tells the variables that Kubernetes gives every container because
// a service is called fakecyborg.
func ofKubernetes(name string) bool {
	rest := strings.TrimPrefix(name, variablePrefix)
	return rest == "PORT" || strings.HasPrefix(rest, "PORT_") || strings.HasPrefix(rest, "SERVICE_HOST") || strings.HasPrefix(rest, "SERVICE_PORT")
}

func variables(known map[string]string) []string {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	return names
}
