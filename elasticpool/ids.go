package elasticpool

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// crockford are the digits of a ULID.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// newID returns the id of the next VM: a ULID of the time, so that ids sort in the order in which VMs were planned. Its
// other half is not drawn but derived, so that a decision that is replayed plans the same VMs; no two decisions
// of a pool share generation and sequence.
func (d *deciding) newID() string {
	d.state.Sequence++
	seed := binary.BigEndian.AppendUint64([]byte(d.policy.Pool), uint64(d.state.Generation)) //nolint:gosec // any bits do
	seed = binary.BigEndian.AppendUint64(seed, uint64(d.state.Sequence))                     //nolint:gosec // any bits do
	sum := sha256.Sum256(seed)
	return ulid(d.now, d.state.Sequence, [10]byte(sum[:10]))
}

// ulid writes a time and 80 bits as a ULID. The first 16 bits are the sequence: ids of one millisecond stay in order.
func ulid(at time.Time, sequence int64, entropy [10]byte) string {
	binary.BigEndian.PutUint16(entropy[:2], uint16(sequence)) //nolint:gosec // the low bits are meant
	text := digits(nil, uint64(max(at.UnixMilli(), 0)), 10)
	text = digits(text, bits40(entropy[:5]), 8)
	return string(digits(text, bits40(entropy[5:]), 8))
}

func bits40(b []byte) uint64 {
	return uint64(b[0])<<32 | uint64(binary.BigEndian.Uint32(b[1:]))
}

// digits appends the lowest 5*n bits of a number, the highest first.
func digits(text []byte, number uint64, n int) []byte {
	for i := n - 1; i >= 0; i-- {
		text = append(text, crockford[number>>(5*i)&31])
	}
	return text
}
