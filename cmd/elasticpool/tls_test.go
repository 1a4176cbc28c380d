package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// certsMain is a program for scripts: certs NAME makes a certificate that is its own CA, for 127.0.0.1 and for clients:
// NAME.pem and NAME.key.
func certsMain() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	fail(err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	fail(err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	fail(err)
	write := func(path, kind string, bytes []byte) {
		fail(os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600))
	}
	write(os.Args[1]+".pem", "CERTIFICATE", der)
	write(os.Args[1]+".key", "PRIVATE KEY", secret)
}

// secureMain is a program for scripts: secureline ADDRESS CA CERTIFICATE LINE sends a line over TLS and prints the answer.
// CERTIFICATE is that of the client without .pem, or "-".
func secureMain() {
	text, err := os.ReadFile(os.Args[2])
	fail(err)
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: x509.NewCertPool()}
	config.RootCAs.AppendCertsFromPEM(text)
	if name := os.Args[3]; name != "-" {
		certificate, err := tls.LoadX509KeyPair(name+".pem", name+".key")
		fail(err)
		config.Certificates = []tls.Certificate{certificate}
	}
	conn, err := (&tls.Dialer{Config: config}).DialContext(context.Background(), "tcp", os.Args[1])
	fail(err)
	_, err = fmt.Fprintln(conn, os.Args[4])
	fail(err)
	answer, err := bufio.NewReader(conn).ReadString('\n')
	fail(err)
	fmt.Print(answer)
}
