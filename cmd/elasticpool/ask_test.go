package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// untilMain is a program for scripts: until REGEXP COMMAND … runs a command again until what it prints matches, for at most
// three minutes. It prints what the last one printed.
func untilMain() {
	wanted := regexp.MustCompile(os.Args[1])
	var said []byte
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		said, _ = exec.CommandContext(context.Background(), os.Args[2], os.Args[3:]...).CombinedOutput()
		if wanted.Match(said) {
			fmt.Print(string(said))
			return
		}
	}
	fmt.Printf("never: %s\n%s", wanted, said)
	os.Exit(1)
}

// cyclesMain is a program for scripts: cycles N waits until the pool has had so many more cycles.
func cyclesMain() {
	more, err := strconv.ParseInt(os.Args[1], 10, 64)
	fail(err)
	first := int64(-1)
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		out, err := exec.CommandContext(context.Background(), "elasticpool", "status", "-json").Output()
		fail(err)
		var now struct {
			Cycles int64 `json:"cycles"`
		}
		fail(json.Unmarshal(out, &now))
		if first < 0 {
			first = now.Cycles
		}
		if now.Cycles >= first+more {
			return
		}
	}
	fail(errors.New("the pool has no more cycles"))
}

// getMain is a program for scripts: get FILE PATH [HEADER VALUE] asks the console whose address is in a file, and prints
// status and body. With a body on standard input that is not empty it posts it.
func getMain() {
	out, err := os.ReadFile(os.Args[1])
	fail(err)
	base := regexp.MustCompile(`http://[^/]+`).Find(out)
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if path := os.Getenv("BODY"); path != "" {
		method, body = http.MethodPost, strings.NewReader(path)
	}
	request, err := http.NewRequestWithContext(context.Background(), method, string(base)+os.Args[2], body)
	fail(err)
	request.Header.Set("Content-Type", "application/json")
	if len(os.Args) > 4 {
		request.Header.Set(os.Args[3], os.Args[4])
	}
	response, err := http.DefaultClient.Do(request)
	fail(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	fail(err)
	fmt.Printf("%d %s", response.StatusCode, text)
}

// lineMain is a program for scripts: line SOCKET LINE … sends lines to a unix socket and prints the answer to each.
func lineMain() {
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "unix", os.Args[1])
	fail(err)
	answers := bufio.NewReader(conn)
	for _, line := range os.Args[2:] {
		_, err = fmt.Fprintln(conn, line)
		fail(err)
		answer, err := answers.ReadString('\n')
		fail(err)
		fmt.Print(answer)
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
