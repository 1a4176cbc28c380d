//go:build race

package simulate

// raceDetector tells that the tests run with the race detector, which makes them ten times slower.
const raceDetector = true
