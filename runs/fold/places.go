package fold

import (
	"slices"

	"github.com/opencortex-go/cortex/cortex/logs"
)

// stretch is the events that one record holds.
type stretch struct {
	next uint64 // behind the last of them
	at   logs.Place
}

// Stand notes that a record holds the events that were applied since the last call.
func (s *State) Stand(at logs.Place) { s.places = append(s.places, stretch{s.next, at}) }

// At returns the record that holds the event of an index; the zero place if it was not noted.
func (s *State) At(index uint64) logs.Place {
	i, _ := slices.BinarySearchFunc(s.places, index, func(x stretch, index uint64) int {
		if x.next <= index {
			return -1
		}
		return 1
	})
	if i == len(s.places) {
		return logs.Place{}
	}
	return s.places[i].at
}

// Last returns the record that holds the newest event; 0 if it was not noted.
func (s *State) Last() uint64 {
	if s.next == 0 {
		return 0
	}
	return s.At(s.next - 1).Record
}
