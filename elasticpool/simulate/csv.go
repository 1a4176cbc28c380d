package simulate

import (
	"encoding/csv"
	"io"
	"strconv"
)

// WriteCSV writes the series as a table: a line for each point, with hours, the numbers of each queue (such as
// JUNO_waiting) and the VMs in each state (such as vms_busy).
func (s *Series) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(s.header()) // Flush keeps the first error
	for _, p := range s.Points {
		row := []string{strconv.FormatFloat(p.Hours, 'f', -1, 64)}
		for _, q := range p.Queues {
			for _, n := range [...]int{q.Waiting, q.Running, q.VMs, q.Target} {
				row = append(row, strconv.Itoa(n))
			}
		}
		for _, n := range p.VMs {
			row = append(row, strconv.Itoa(n))
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

func (s *Series) header() []string {
	names := []string{"hours"}
	for _, q := range s.Queues {
		names = append(names, q+"_waiting", q+"_running", q+"_vms", q+"_target")
	}
	for _, state := range s.States {
		names = append(names, "vms_"+state)
	}
	return names
}
