package main

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
)

// resolveListen finds the one address that the value of -listen stands for.
// Unless it may be exposed it must be loopback: there is no other protection.
func resolveListen(listen string, expose bool) (*net.TCPAddr, error) {
	address, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("listen %q: %w", listen, err)
	}
	if !expose && !address.IP.IsLoopback() {
		return nil, fmt.Errorf("listen %q: other machines may reach that address, and whoever does is admin: take 127.0.0.1, or add -expose", listen)
	}
	return address, nil
}

// baseURL is where a client on this machine reaches a listener.
func baseURL(address net.Addr) string {
	host := address.String()
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return (&url.URL{Scheme: "http", Host: host}).String()
}
