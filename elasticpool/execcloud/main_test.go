package execcloud

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// roleVariable makes the test binary a plugin of that kind.
const roleVariable = "EXECCLOUD_TEST_ROLE"

// roles are the plugins that tests start as processes.
var roles = map[string]func() int{
	"serve": func() int {
		if ReadOnly() {
			fmt.Fprintln(os.Stderr, "it reads only")
		}
		if err := Serve(context.Background(), os.Stdin, os.Stdout, newMemory()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	},
	"echo": func() int { // no plugin: the floor of the benchmark
		_, _ = io.Copy(os.Stdout, os.Stdin)
		return 0
	},
	"dies": func() int { // shakes hands, says why, and dies with the first request
		lines := bufio.NewScanner(os.Stdin)
		lines.Scan()
		fmt.Fprintln(os.Stdout, `{"id":1,"result":{"protocol":1,"methods":["create","servers"]}}`)
		lines.Scan()
		fmt.Fprintln(os.Stderr, "out of memory, code 7")
		return 7
	},
	"deaf": func() int { // reads nothing at all
		select {}
	},
	"stubborn": func() int { // ends neither with its input nor by SIGTERM, and has a child that does not either
		signal.Ignore(syscall.SIGTERM)
		parent()
		select {}
	},
	"parent": parent,
	"sleeper": func() int {
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
		return 0
	},
	"polite": func() int { // ends by SIGTERM only
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		fmt.Fprintln(os.Stderr, "ready")
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "bye")
		return 0
	},
	"secret": func() int { // tells whether it got its secret, and where
		fmt.Fprintln(os.Stderr, "arguments", len(os.Args), "secret", os.Getenv("SECRET"), "home", os.Getenv("HOME"))
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	},
}

// parent is a plugin with a child that does not end by itself.
func parent() int {
	child := exec.CommandContext(context.Background(), os.Args[0])
	child.Env = []string{roleVariable + "=sleeper"}
	child.Stdout = os.Stdout
	if err := child.Start(); err != nil {
		return 1
	}
	fmt.Fprintln(os.Stderr, "child", child.Process.Pid)
	_ = Serve(context.Background(), os.Stdin, os.Stdout, newMemory())
	return 0
}

func TestMain(m *testing.M) {
	if role, ok := roles[os.Getenv(roleVariable)]; ok {
		os.Exit(role())
	}
	goleak.VerifyTestMain(m)
}
