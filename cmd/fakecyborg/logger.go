package main

import (
	"fmt"
	"io"
	"log/slog"
)

// newLogger makes the log that -log-format and -log-level ask for.
func newLogger(w io.Writer, form, level string) (*slog.Logger, error) {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("-log-level %q: unknown, known are debug, info, warn, error", level)
	}
	options := &slog.HandlerOptions{Level: least}
	switch form {
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return nil, fmt.Errorf("-log-format %q: unknown, known are json, text", form)
}
