package elasticpool

import (
	"bytes"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A cloud that is taken out of the configuration leaves VMs behind: the start says which, they stay in the journal and are
// not tried again and again, and an operator can forget them. VMs that can be reached are not forgotten.
func TestCloudIsTakenOutOfTheConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		w.submit("juno", 2, 10*time.Hour)
		p := w.pool(t, dir, playPolicy())
		cycles(t, p, 6)
		vms := p.Status().VMs
		require.Len(t, vms, 2)
		require.ErrorContains(t, p.Do(Command{Kind: CmdForget, VM: vms[0].ID}), "is of cloud north, which is configured: drain it instead")
		require.ErrorContains(t, p.Do(Command{Kind: CmdForget, Cloud: "north"}), "cloud north is configured: drain it instead")
		require.NoError(t, p.Close())

		without := playPolicy()
		without.Clouds[0].Name, without.Classes[0].Cloud = "south", "south"
		for range 2 { // they outlive a restart
			var log bytes.Buffer
			p = w.pool(t, dir, without, WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			assert.Contains(t, log.String(), "level=WARN msg=\"VMs are of a cloud that is not configured")
			assert.Contains(t, log.String(), "cloud=north vms=\"["+vms[0].ID+" "+vms[1].ID+"]\"")
			cycles(t, p, 4)
			log.Reset()
			cycles(t, p, 40)
			for _, vm := range vms {
				assert.NotContains(t, log.String(), vm.ID, "nothing is tried")
			}
			assert.Equal(t, Stranded, p.Status().VMs[0].State)
			if len(p.Status().VMs) > 2 {
				assert.Equal(t, "south", p.Status().VMs[2].Cloud)
			}
			require.NoError(t, p.Close())
		}
		p = w.pool(t, dir, without)
		cycles(t, p, 1)
		for _, test := range []struct {
			command Command
			want    string
		}{
			{Command{Kind: CmdForget}, "say which vm, or which cloud"},
			{Command{Kind: CmdForget, VM: vms[0].ID, Cloud: "north"}, "say which vm, or which cloud"},
			{Command{Kind: CmdForget, Queue: "juno", Cloud: "north"}, "say which vm, or which cloud"},
			{Command{Kind: CmdForget, VM: "01NOBODY"}, `there is no VM "01NOBODY"`},
			{Command{Kind: CmdForget, Cloud: "moon"}, `there is no VM of cloud "moon"`},
		} {
			require.ErrorContains(t, p.Do(test.command), test.want)
		}
		lines, err := Explain(without, Input{}, p.Status(), vms[0].ID)
		require.NoError(t, err)
		assert.Contains(t, lines[0], "is stranded for")
		assert.Contains(t, lines[0], "cloud north is not in the policy: put it back, or forget the VM")
		require.NoError(t, p.Do(Command{Kind: CmdForget, VM: vms[0].ID}))
		require.NoError(t, p.Do(Command{Kind: CmdForget, Cloud: "north"}))
		cycles(t, p, 1)
		for _, vm := range p.Status().VMs {
			assert.Equal(t, "south", vm.Cloud)
		}
		require.NoError(t, p.Close())
	})
}
