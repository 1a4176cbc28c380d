package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// endpoint is where to listen.
type endpoint struct {
	// network is "tcp" or "unix".
	network string
	// address is host and port, or the path of the socket.
	address string
}

// resolveListen finds the one address that the value of -listen stands for.
// Unless it may be exposed it must be loopback: there is no other protection.
func resolveListen(listen string, expose bool) (endpoint, error) {
	if path, isSocket := strings.CutPrefix(listen, unixPrefix); isSocket {
		if path == "" {
			return endpoint{}, fmt.Errorf("listen %q: it has no path, such as unix:/run/fakecyborg.sock", listen)
		}
		return endpoint{network: "unix", address: path}, nil
	}
	address, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil {
		return endpoint{}, fmt.Errorf("listen %q: %w", listen, err)
	}
	if !expose && !address.IP.IsLoopback() {
		return endpoint{}, fmt.Errorf("listen %q: other machines may reach that address, and whoever does is admin: take 127.0.0.1, or add -expose", listen)
	}
	return endpoint{network: "tcp", address: address.String()}, nil
}

// open starts to listen.
func (e endpoint) open(ctx context.Context) (net.Listener, error) {
	if e.network == "unix" {
		return listenUnix(ctx, e.address)
	}
	return (&net.ListenConfig{}).Listen(ctx, e.network, e.address)
}

// baseURL is where a client on this machine reaches a listener. Through a socket
// the name of the host does not matter.
func baseURL(scheme string, address net.Addr) string {
	host := address.String()
	switch tcp, ok := address.(*net.TCPAddr); {
	case !ok:
		host = "localhost"
	case tcp.IP.IsUnspecified():
		host = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return (&url.URL{Scheme: scheme, Host: host}).String()
}

// hostOf is the host of an address, without port.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	return host
}
