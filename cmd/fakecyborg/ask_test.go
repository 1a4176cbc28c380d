package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// askMain is the scripts' HTTP client:
//
//	ask FILE METHOD PATH [BODY]
//
// takes the first address in FILE, once it is there, and prints status and body.
// It sends the token in $TOKEN, if any.
// The method HALF sends half a request, writes the file "sent", and waits until
// the server closes the connection.
func askMain() {
	if err := ask(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func ask(args []string, stdout io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	base, err := waitForAddress(ctx, args[0])
	if err != nil {
		return err
	}
	if args[1] == "HALF" {
		return askHalf(ctx, strings.TrimPrefix(base, "http://"))
	}
	body := strings.NewReader(strings.Join(args[3:], " "))
	request, err := http.NewRequestWithContext(ctx, args[1], base+args[2], body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if token := os.Getenv("TOKEN"); token != "" {
		request.Header.Set("X-Auth-Token", token)
	}
	response, err := (&http.Client{}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	fmt.Fprintf(stdout, "%s %s\n", response.Status, answer)
	return err
}

func askHalf(ctx context.Context, address string) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"); err != nil {
		return err
	}
	if err := os.WriteFile("sent", []byte("sent"), 0o600); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, connection)
	return err
}

// waitForAddress returns the host part of the first address in a file that
// another process writes.
func waitForAddress(ctx context.Context, path string) (string, error) {
	for {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if _, after, found := strings.Cut(string(text), "http://"); found && strings.Contains(after, "_fake/health\n") {
			line, _, _ := strings.Cut(after, "\n")
			host, _, _ := strings.Cut(line, "/")
			return "http://" + host, nil
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("no address in %s: %w", path, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
