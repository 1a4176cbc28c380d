//go:build race

package condor

// raceDetector says that the race detector is on, with which reading takes ten times as long.
const raceDetector = true
