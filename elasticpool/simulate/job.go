package simulate

import (
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Job is one job of a trace.
type Job struct {
	Queue   string                `json:"queue"`
	Submit  time.Duration         `json:"submit"` // after the start of the trace
	Runtime time.Duration         `json:"runtime"`
	Limit   time.Duration         `json:"limit,omitempty"` // that its user said it may take; 0: unknown
	Request elasticpool.Resources `json:"request"`
}
