package journal

import (
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Appends from many goroutines share fsyncs: syncs/append is 1 without that.
func BenchmarkAppend(b *testing.B) {
	path := filepath.Join(b.TempDir(), "journal")
	j, _ := reopen(b, path)
	value := map[string]string{"kind": "create", "vm": "01JABCDEFGHJKMNPQRSTVWXYZ0", "cloud": "north", "class": "cpu4"}
	var failed atomic.Int64
	b.SetParallelism(32)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if j.Append("begin", value) != nil {
				failed.Add(1)
			}
		}
	})
	require.Zero(b, failed.Load())
	writes := map[int64]bool{}
	for _, l := range lines(b, path) {
		writes[l.Batch] = true
	}
	b.ReportMetric(float64(len(writes))/float64(b.N), "syncs/append")
}

func lines(b *testing.B, path string) (list []line) {
	b.Helper()
	text := read(b, path)
	for len(text) > 0 {
		end := 0
		for text[end] != '\n' {
			end++
		}
		l, err := parseLine([]byte(text[:end+1]))
		require.NoError(b, err)
		list, text = append(list, l), text[end+1:]
	}
	return list
}
