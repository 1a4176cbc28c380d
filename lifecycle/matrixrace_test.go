//go:build race

package lifecycle_test

// raceDetector says that the race detector is on, with which everything takes much longer.
const raceDetector = true
