package virtdriver_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// largeDomain has about 200 lines and one host device.
func largeDomain() []byte {
	var b bytes.Buffer
	b.WriteString("<domain type='kvm'>\n  <name>bench</name>\n  <devices>\n")
	for i := range 38 {
		fmt.Fprintf(&b, "    <disk type='file' device='disk'>\n      <driver name='qemu' type='qcow2'/>\n"+
			"      <source file='/var/lib/images/%d.qcow2'/>\n      <target dev='vd%d' bus='virtio'/>\n    </disk>\n", i, i)
	}
	b.WriteString("    <hostdev mode='subsystem' type='pci' managed='yes'>\n      <source>\n" +
		"        <address domain='0x0000' bus='0xff' slot='0x00' function='0x0'/>\n      </source>\n    </hostdev>\n  </devices>\n</domain>\n")
	return b.Bytes()
}

// BenchmarkCompose puts 16 devices into a domain. The metric etree-ratio is its
// time over that of etree reading and writing the same document, each the best of
// the run, so that other load on the machine does not show.
func BenchmarkCompose(b *testing.B) {
	input := largeDomain()
	var arqs []cyborgclient.ARQ
	for i := range 16 {
		arqs = append(arqs, pciARQ(strconv.Itoa(i), fmt.Sprintf("0000:%02x:00.0", i)))
	}
	ours, floor := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		_, err := virtdriver.Compose(input, arqs)
		ours = min(ours, time.Since(start))
		require.NoError(b, err)
		start = time.Now()
		doc := etree.NewDocument()
		readErr := doc.ReadFromBytes(input)
		_, writeErr := doc.WriteToBytes()
		floor = min(floor, time.Since(start))
		require.NoError(b, errors.Join(readErr, writeErr))
	}
	b.ReportMetric(float64(ours.Nanoseconds()), "ns/compose")
	b.ReportMetric(float64(ours)/float64(floor), "etree-ratio")
}

// BenchmarkPrefixes reads a domain with many prefixes in scope. The metric
// growth is the time for eight times as many over eight times the time: 1 is
// linear.
func BenchmarkPrefixes(b *testing.B) {
	domain := func(n int) []byte {
		var text bytes.Buffer
		text.WriteString("<domain type='kvm'")
		for i := range n {
			fmt.Fprintf(&text, " xmlns:p%d='u'", i)
		}
		text.WriteString(">")
		for range n {
			text.WriteString("<p0:x/>")
		}
		text.WriteString("<devices/></domain>")
		return text.Bytes()
	}
	const few, times = 2000, 8
	small, large := domain(few), domain(times*few)
	read := func(text []byte, best *time.Duration) {
		start := time.Now()
		_, err := virtdriver.Compose(text, nil)
		*best = min(*best, time.Since(start))
		require.NoError(b, err)
	}
	one, many := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for b.Loop() {
		read(small, &one)
		read(large, &many)
	}
	b.ReportMetric(float64(many)/float64(times*one), "growth")
}

// BenchmarkTopology composes with the topology of a host with many functions, two
// of each card in a group. The metric growth is the time for eight times as many
// functions and ARQs over eight times the time: 1 is linear.
func BenchmarkTopology(b *testing.B) {
	host := func(cards int) (topology virtdriver.Topology, arqs []cyborgclient.ARQ) {
		for i := range cards {
			slot := fmt.Sprintf("%04x:%02x:%02x", i/0x2000, i/0x20%0x100, i%0x20)
			for function := range 2 {
				topology = append(topology, virtdriver.HostFunction{
					Address: fmt.Sprintf("%s.%d", slot, function), Class: "1200", IOMMUGroup: i, Kind: virtdriver.KindPCI,
				})
			}
			if i%4 == 0 {
				arqs = append(arqs, pciARQ(strconv.Itoa(i), slot+".0"))
			}
		}
		return topology, arqs
	}
	const few, times = 250, 8
	smallHost, smallARQs := host(few)
	largeHost, largeARQs := host(times * few)
	compose := func(topology virtdriver.Topology, arqs []cyborgclient.ARQ, best *time.Duration) {
		start := time.Now()
		_, err := virtdriver.Compose([]byte(emptyDomain), arqs, virtdriver.WithTopology(topology), virtdriver.WithCompanions())
		*best = min(*best, time.Since(start))
		require.NoError(b, err)
	}
	one, many := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for b.Loop() {
		compose(smallHost, smallARQs, &one)
		compose(largeHost, largeARQs, &many)
	}
	b.ReportMetric(float64(many.Nanoseconds()), "ns/4000-functions")
	b.ReportMetric(float64(many)/float64(times*one), "growth")
}
