package functional_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const arqsPath = "/v2/accelerator_requests"

// tempestARQs are tests/api/test_accelerator_request.py and test_accelerator_request_negative.py.
var tempestARQs = []tempestCase{
	{name: "arq create", run: func(t *testing.T, c tempest) {
		c.profile(t, "arq-create", "PGPU")
		arqs := c.arqs(t, "arq-create")
		require.NotEmpty(t, arqs)
		assert.Equal(t, "arq-create", arqs[0]["device_profile_name"])
	}},
	{name: "arq list get and delete", run: arqListGetAndDelete},
	{name: "arq negative show unknown", run: func(t *testing.T, c tempest) {
		c.call(t, "GET", arqsPath+"/"+unknown(), "").want(t, http.StatusNotFound)
	}},
	{name: "arq negative delete unknown", run: func(t *testing.T, c tempest) {
		c.call(t, "DELETE", arqsPath+"?arqs="+unknown(), "").want(t, http.StatusNotFound)
	}},
	{name: "arq negative create with empty profile name", run: arqOfNoProfile("")},
	{name: "arq negative create with unknown profile name", run: arqOfNoProfile("no-such-profile")},
	{name: "arq negative create with a name of signs", run: arqOfNoProfile("!@#$%^&*()=-[]")},
}

func arqOfNoProfile(name string) func(*testing.T, tempest) {
	return func(t *testing.T, c tempest) {
		t.Helper()
		c.call(t, "POST", arqsPath, fmt.Sprintf(`{"device_profile_name": %q}`, name)).want(t, http.StatusNotFound)
	}
}

func arqListGetAndDelete(t *testing.T, c tempest) {
	c.profile(t, "arq-life", "PGPU")
	arqs := c.arqs(t, "arq-life")
	require.NotEmpty(t, arqs)
	id := text(t, arqs[0], "uuid")
	assert.Contains(t, texts(t, c.call(t, "GET", arqsPath, "").want(t, http.StatusOK).list(t, "arqs"), "uuid"), id)
	assert.Equal(t, id, c.call(t, "GET", arqsPath+"/"+id, "").want(t, http.StatusOK).object(t)["uuid"], "it is not wrapped")
	c.call(t, "DELETE", arqsPath+"?arqs="+id, "").want(t, http.StatusNoContent)
	assert.Empty(t, c.call(t, "GET", arqsPath, "").want(t, http.StatusOK).list(t, "arqs"))
}
