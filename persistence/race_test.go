//go:build race

package persistence

// raceEnabled says that everything takes ten times as long.
const raceEnabled = true
