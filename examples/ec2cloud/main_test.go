package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func spec(pool, vm string) elasticpool.ServerSpec {
	return elasticpool.ServerSpec{
		Pool: pool, VM: vm, Name: elasticpool.ServerName(pool, vm), Queue: "juno", Generation: 2,
		Class: elasticpool.Class{
			Name: "cpu4", Flavor: "c7i.xlarge", Image: "ami-1", Network: "subnet-1", Zone: "local-a", KeyPair: "k", UserData: "#!/bin/sh\n",
			Extra: map[string]string{"security_groups": "sg-1, sg-2", "spot": "true", "profile": "worker"},
		},
	}
}

func TestLifeOfAnInstance(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	cloud := f.cloud(elasticpool.Resources{"vms": 3, "cpus": 9})
	made, err := cloud.Create(t.Context(), spec("farm", "01A"))
	require.NoError(t, err)
	want := elasticpool.Server{
		ID: "i-000", VM: "01A", Pool: "farm", Class: "cpu4", Queue: "juno", Generation: 2, Status: elasticpool.ServerBuilding, Host: "local-a",
		Addresses: []string{"192.0.2.1"}, Created: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	}
	assert.Equal(t, want, made)
	for key, value := range map[string]string{
		"InstanceType": "c7i.xlarge", "ImageId": "ami-1", "SubnetId": "subnet-1", "KeyName": "k", "UserData": "IyEvYmluL3NoCg==", "ClientToken": "01A",
		"SecurityGroupId.2": "sg-2", "InstanceMarketOptions.MarketType": "spot", "IamInstanceProfile.Name": "worker", "MaxCount": "1",
		"Placement.AvailabilityZone": "local-a", "TagSpecification.2.ResourceType": "volume", "InstanceInitiatedShutdownBehavior": "terminate",
	} {
		assert.Equal(t, value, f.last.Get(key), key)
	}
	again, err := cloud.Create(t.Context(), spec("farm", "01A"))
	require.NoError(t, err)
	assert.Equal(t, made, again, "the client token makes it one")

	f.set(func() { f.instances[0].state = "running" })
	list, complete, err := cloud.Servers(t.Context(), "farm")
	require.NoError(t, err)
	assert.True(t, complete)
	want.Status = elasticpool.ServerActive
	assert.Equal(t, []elasticpool.Server{want}, list)
	limits, err := cloud.Limits(t.Context())
	require.NoError(t, err)
	assert.Equal(t, elasticpool.Resources{"vms": 2, "cpus": 5}, limits.Free)

	require.NoError(t, cloud.Stop(t.Context(), made))
	assert.Equal(t, "stopped", f.instances[0].state)
	require.NoError(t, cloud.Start(t.Context(), made))
	require.NoError(t, cloud.Delete(t.Context(), made))
	assert.Equal(t, "shutting-down", f.instances[0].state)
	f.set(func() { f.instances[0].state = "terminated" })
	require.NoError(t, cloud.Delete(t.Context(), made), "it is gone")
	require.ErrorIs(t, cloud.Stop(t.Context(), made), elasticpool.ErrInvalid)
}

// Each pool sees and touches its own instances only, by tag and never by name.
func TestForeignInstancesAreNeverTouched(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	cloud := f.cloud(nil)
	for _, pool := range []string{"farm", "farm2"} {
		_, err := cloud.Create(t.Context(), spec(pool, "01"+pool))
		require.NoError(t, err)
	}
	f.set(func() {
		f.instances = append(f.instances, &fakeInstance{id: "i-hand", state: "running", tags: map[string]string{"Name": "ep-farm-01X"}})
	})
	list, _, err := cloud.Servers(t.Context(), "farm")
	require.NoError(t, err)
	require.Len(t, list, 1)
	for _, id := range []string{"i-001", "i-hand"} {
		require.NoError(t, cloud.Delete(t.Context(), elasticpool.Server{ID: id, VM: "01X", Pool: "farm"}))
	}
	assert.Zero(t, f.calls["TerminateInstances"])
}

func TestPages(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.pages = 2
	cloud := f.cloud(nil)
	for i := range 5 {
		_, err := cloud.Create(t.Context(), spec("farm", fmt.Sprint("01", i)))
		require.NoError(t, err)
	}
	list, complete, err := cloud.Servers(t.Context(), "farm")
	require.NoError(t, err)
	assert.True(t, complete)
	assert.Len(t, list, 5)
	assert.Equal(t, 3, f.calls["DescribeInstances"])
}

// A lost answer is asked for again, which makes no second instance; when all are lost, the outcome is unknown.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	cloud := f.cloud(nil)
	f.lose["RunInstances"] = tries
	_, err := cloud.Create(t.Context(), spec("farm", "01A"))
	require.ErrorIs(t, err, elasticpool.ErrUnknownOutcome)
	f.set(func() { f.lose["RunInstances"] = tries - 1 })
	_, err = cloud.Create(t.Context(), spec("farm", "01A"))
	require.NoError(t, err)
	assert.Len(t, f.instances, 1)
	assert.Equal(t, 2*tries, f.calls["RunInstances"])
}

func TestWithoutCredentials(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	cloud := f.cloud(nil)
	cloud.api.credentials = nil
	_, err := cloud.Create(t.Context(), spec("farm", "01A"))
	require.ErrorIs(t, err, elasticpool.ErrUnauthorized)
}

func TestErrorsAreClassed(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]error{
		"InsufficientInstanceCapacity": elasticpool.ErrCapacity, "InsufficientFreeAddressesInSubnet": elasticpool.ErrCapacity,
		"InstanceLimitExceeded": elasticpool.ErrQuota, "VcpuLimitExceeded": elasticpool.ErrQuota, "VolumeLimitExceeded": elasticpool.ErrQuota,
		"InvalidAMIID.NotFound": elasticpool.ErrInvalid, "InvalidParameterValue": elasticpool.ErrInvalid, "Unsupported": elasticpool.ErrInvalid,
		"MissingParameter": elasticpool.ErrInvalid, "UnauthorizedOperation": elasticpool.ErrUnauthorized, "AuthFailure": elasticpool.ErrUnauthorized,
		"InvalidClientTokenId": elasticpool.ErrUnauthorized, "RequestLimitExceeded": elasticpool.ErrTransient,
		"InternalError": elasticpool.ErrUnknownOutcome, "IdempotentParameterMismatch": elasticpool.ErrUnknownOutcome,
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.fail["RunInstances"] = code
			_, err := f.cloud(nil).Create(t.Context(), spec("farm", "01A"))
			assert.Equal(t, elasticpool.ErrorWord(want), elasticpool.ErrorWord(err))
			require.ErrorContains(t, err, code+": because of "+code)
			require.NotContains(t, err.Error(), "s3sam")
		})
	}
}

// A failure is no empty list.
func TestListThatFails(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.fail["DescribeInstances"] = "InternalError"
	cloud := f.cloud(nil)
	_, complete, err := cloud.Servers(t.Context(), "farm")
	require.ErrorIs(t, err, elasticpool.ErrTransient)
	assert.False(t, complete)
	_, err = cloud.Limits(t.Context())
	require.ErrorIs(t, err, elasticpool.ErrTransient)
	require.ErrorIs(t, cloud.Delete(t.Context(), elasticpool.Server{ID: "i-1", VM: "a", Pool: "farm"}), elasticpool.ErrTransient)
}

func TestClassesThatCannotBe(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for key, value := range map[string]string{"colour": "red", "spot": "perhaps"} {
		s := spec("farm", "01A")
		s.Class.Extra = map[string]string{key: value}
		_, err := f.cloud(nil).Create(t.Context(), s)
		require.ErrorIs(t, err, elasticpool.ErrInvalid)
		require.ErrorContains(t, err, "extra."+key)
	}
	assert.Empty(t, f.instances)
}

func TestFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-endpoint http://192.0.2.1/":   "must be https",
		"-endpoint ftp://127.0.0.1/":    "must be https",
		"-endpoint https://a:b@c.test/": "no URL of a server without a login",
		"-endpoint x":                   "no URL",
		"-max gpus=1":                   "neither vms=AMOUNT nor cpus=AMOUNT",
		"-max vms":                      "neither vms=AMOUNT nor cpus=AMOUNT",
		"x":                             `unexpected argument "x"`,
	} {
		_, err := parseFlags(strings.Fields(args), io.Discard)
		require.ErrorContains(t, err, want, args)
	}
	s, err := parseFlags(strings.Fields("-region local -endpoint http://[::1]:8773/ -max vms=5,cpus=40"), io.Discard)
	require.NoError(t, err)
	assert.Equal(t, elasticpool.Resources{"vms": 5, "cpus": 40}, s.max)
}

func TestRunServesThePlugin(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	in := strings.NewReader(`{"id":1,"method":"capabilities","timeout_ms":5000,"params":{"protocols":[1]}}` + "\n")
	require.NoError(t, run(t.Context(), []string{"-region", "local", "-endpoint", "http://127.0.0.1:1/"}, in, &out, io.Discard))
	assert.Contains(t, out.String(), `"protocol":1`)
}
