package placement

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// LP#2140631: devices of profiles and ports count against the project's limits.
func TestLimitsCountEveryGroup(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		consumer := newConsumer()
		port := requestspec.Group{Suffix: requestspec.RequesterID(0, consumer.UserID), Resources: map[string]int64{s.GPU: 1}}
		req := request(flavor(), devices(0, s.GPU, 1), port)
		limits := FixedLimits{s.GPU: 3, "VCPU": 100, s.FPGA: 0}
		require.NoError(t, c.CheckLimits(t.Context(), limits, consumer.ProjectID, req))

		found, err := c.Candidates(t.Context(), req)
		require.NoError(t, err)
		claim, err := c.Claim(t.Context(), consumer, found.List[0])
		require.NoError(t, err)
		err = c.CheckLimits(t.Context(), limits, consumer.ProjectID, req)
		require.ErrorIs(t, err, ErrOverLimit)
		require.ErrorContains(t, err, "2 "+s.GPU+" asked for, but 2 of 3 are used")
		require.NoError(t, c.CheckLimits(t.Context(), limits, newConsumer().ProjectID, req), "another project uses nothing")

		require.NoError(t, c.Release(t.Context(), claim))
		require.NoError(t, c.CheckLimits(t.Context(), limits, consumer.ProjectID, req))
	})
}

type brokenLimits struct{}

func (brokenLimits) Limit(context.Context, string, string) (int64, error) { return 0, errBroken }

var errBroken = errors.New("keystone is down")

func TestLimitsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	err := inMemory(t).CheckLimits(t.Context(), brokenLimits{}, "p1", request(devices(0, "FPGA", 1)))
	require.ErrorIs(t, err, errBroken)
	assert.EqualError(t, err, "check limits of project p1: limit of FPGA: keystone is down")
}

func TestLimitsOfSumsAboveInt64(t *testing.T) {
	t.Parallel()
	req := request(devices(0, "FPGA", math.MaxInt64), devices(1, "FPGA", math.MaxInt64))
	err := inMemory(t).CheckLimits(t.Context(), FixedLimits{"FPGA": 1}, newConsumer().ProjectID, req)
	require.ErrorIs(t, err, ErrOverLimit)
	require.ErrorContains(t, err, "9223372036854775807 FPGA asked for")
}
