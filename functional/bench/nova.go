package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/requestspec"
)

// novaScript runs in the chroot of the real cloud and times Nova's own functions there.
//
//go:embed nova.py
var novaScript string

const novaPeer = "Nova 31's own functions, called in Python"

func novaRows() []*row {
	rows := []*row{
		{What: "requestspec: build the query of 3 profile groups"},
		{What: "requestspec: match 3 groups to providers by search"},
		{What: "requestspec: both, for 3 groups", Goal: goal{atLeast: 100}},
		{What: "requestspec: both, for 4 groups", Goal: goal{atLeast: 100}},
	}
	for _, row := range rows {
		row.Peer, row.Relation = novaPeer, "times as fast"
	}
	return rows
}

// novaProcess answers how long Nova's functions take.
type novaProcess struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

// ask has a question done so often, and returns the time of one and the answer.
func (p *novaProcess) ask(question string, groups, rounds int) (time.Duration, string, error) {
	if _, err := fmt.Fprintln(p.in, question, groups, rounds); err != nil {
		return 0, "", err
	}
	if !p.out.Scan() {
		return 0, "", errors.Join(io.ErrUnexpectedEOF, p.out.Err())
	}
	taken, answer, _ := strings.Cut(p.out.Text(), " ")
	nanoseconds, err := strconv.ParseInt(taken, 10, 64)
	return time.Duration(nanoseconds) / time.Duration(rounds), answer, err
}

// timesOfBoth are the best times of one query and one match.
type timesOfBoth struct{ query, match time.Duration }

func (t timesOfBoth) sum() time.Duration { return t.query + t.match }

// measureNova lets both sides answer by turns.
func measureNova(ctx context.Context, r *results) (err error) {
	if r.real == nil {
		withoutReal(r.Nova)
		return nil
	}
	cmd := r.real.python(ctx, novaScript)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close(), cmd.Wait()) }()
	process := &novaProcess{in: in, out: bufio.NewScanner(out)}
	for groups, rows := range map[int][]*row{3: r.Nova[:3], 4: {nil, nil, r.Nova[3]}} {
		ours, theirs, err := compareNova(ctx, process, groups, r.amount)
		if err != nil {
			return err
		}
		for i, pair := range [][2]time.Duration{{ours.query, theirs.query}, {ours.match, theirs.match}, {ours.sum(), theirs.sum()}} {
			if rows[i] != nil {
				rows[i].Ours, rows[i].Theirs = microseconds(pair[0]), microseconds(pair[1])
				rows[i].Ratio = float64(pair[1]) / float64(pair[0])
			}
		}
	}
	return nil
}

func microseconds(d time.Duration) string {
	return significant(float64(d.Nanoseconds())/1000) + " µs"
}

// errOtherAnswer is what compareNova finds when the sides do not do the same.
var errOtherAnswer = errors.New("ours and Nova's answers differ")

func compareNova(ctx context.Context, process *novaProcess, groups int, amount effort) (ours, theirs timesOfBoth, err error) {
	ours, theirs = timesOfBoth{math.MaxInt64, math.MaxInt64}, timesOfBoth{math.MaxInt64, math.MaxInt64}
	work := newNovaWork(groups)
	for range 15 * amount.rounds {
		for question, times := range map[string][2]*time.Duration{"query": {&ours.query, &theirs.query}, "match": {&ours.match, &theirs.match}} {
			var answer string
			start, n := time.Now(), amount.of(200)
			for range n {
				if answer, err = work.do(ctx, question); err != nil {
					return ours, theirs, err
				}
			}
			*times[0] = min(*times[0], time.Since(start)/time.Duration(n))
			taken, expected, err := process.ask(question, groups, amount.of(20))
			if err != nil {
				return ours, theirs, err
			}
			if answer != expected {
				return ours, theirs, fmt.Errorf("%w: %s and %s", errOtherAnswer, answer, expected)
			}
			*times[1] = min(*times[1], taken)
		}
	}
	return ours, theirs, nil
}

// novaWork is what nova.py has, in our terms.
type novaWork struct {
	input      requestspec.Input
	groups     []requestspec.Group
	allocation []requestspec.ProviderAllocation
}

func newNovaWork(groups int) *novaWork {
	w := &novaWork{input: requestspec.Input{Flavor: requestspec.Flavor{
		Name: "gpu", VCPUs: 4, MemoryMB: 8192, RootGB: 20,
		ExtraSpecs: map[string]string{"accel:device_profile": "gpu", "group_policy": "none"},
	}}}
	// Nova is given the compute node too, and has to find out that no group is its
	w.allocation = append(w.allocation, requestspec.ProviderAllocation{
		Provider: providerUUID(0, 0), Traits: []string{"COMPUTE_ACCELERATORS"},
		Resources: map[string]int64{"VCPU": 4, "MEMORY_MB": 8192, "DISK_GB": 20},
	})
	for i := range groups {
		w.input.Profile = append(w.input.Profile, requestspec.ProfileGroup{
			{Key: "resources:FPGA", Value: "1"}, {Key: "trait:CUSTOM_FPGA_INTEL", Value: "required"},
		})
		w.groups = append(w.groups, requestspec.Group{
			Suffix: requestspec.RequesterID(i, ""), Resources: map[string]int64{"FPGA": 1}, Required: []string{"CUSTOM_FPGA_INTEL"},
		})
		w.allocation = append(w.allocation, requestspec.ProviderAllocation{
			Provider: providerUUID(0, i+1), Resources: map[string]int64{"FPGA": 1}, Traits: []string{"CUSTOM_FPGA_INTEL", "OWNER_CYBORG"},
		})
	}
	return w
}

// do answers a question as nova.py does. The text of a match costs as much here as there: it is made from the result.
func (w *novaWork) do(ctx context.Context, question string) (string, error) {
	if question == "query" {
		request, err := requestspec.Build(w.input)
		if err != nil {
			return "", err
		}
		return request.Query(), nil
	}
	found, err := requestspec.Match(ctx, w.groups, w.allocation, nil)
	if err != nil {
		return "", err
	}
	var answer strings.Builder
	for _, group := range w.groups {
		answer.WriteString(group.Suffix + "=" + strings.Join(found[group.Suffix], ",") + ";")
	}
	return answer.String(), nil
}
