//go:build !race

package cortex

const raceEnabled = false
