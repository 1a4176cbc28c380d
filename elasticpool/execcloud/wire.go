package execcloud

import (
	"encoding/json"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Protocol is the version of the protocol that this package speaks.
const Protocol = 1

// Methods of the protocol. MethodCapabilities is the handshake; each other one is the method of [elasticpool.Provider] with that name.
const (
	MethodCapabilities = "capabilities"
	MethodServers      = "servers"
	MethodLimits       = "limits"
	MethodCreate       = "create"
	MethodDelete       = "delete"
	MethodStop         = "stop"
	MethodStart        = "start"
)

// maxLine is how long a line may be. Ten thousand servers take about four million bytes.
const maxLine = 32 << 20

// request is a line from the pool to the plugin.
type request struct {
	ID        int64           `json:"id"`
	Method    string          `json:"method"`
	TimeoutMS int64           `json:"timeout_ms"`
	Params    json.RawMessage `json:"params"`
}

// answer is a line from the plugin to the pool: a result or an error.
type answer struct {
	ID     int64           `json:"id"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *wireError      `json:"error,omitempty"`
}

// wireError is an error on the wire. Class is a word of elasticpool.ErrorWord.
type wireError struct {
	Class  string `json:"class"`
	Detail string `json:"detail,omitempty"`
}

// offer is what the pool tells first; agreed is what the plugin answers.
type (
	offer struct {
		Protocols []int `json:"protocols"`
	}
	agreed struct {
		Protocol int      `json:"protocol"`
		Methods  []string `json:"methods"`
	}
)

type serversParams struct {
	Pool string `json:"pool"`
}

// serversResult has pointers to tell what is empty from what is absent.
type serversResult struct {
	Servers  *[]elasticpool.Server `json:"servers"`
	Complete *bool                 `json:"complete"`
}

type limitsResult struct {
	Total elasticpool.Resources `json:"total"`
	Free  elasticpool.Resources `json:"free"`
}

type createParams struct {
	Spec elasticpool.ServerSpec `json:"spec"`
	Tags map[string]string      `json:"tags"`
}

type serverResult struct {
	Server *elasticpool.Server `json:"server"`
}

type serverParams struct {
	Server elasticpool.Server `json:"server"`
}
