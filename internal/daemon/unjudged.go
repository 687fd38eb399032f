package daemon

import (
	"slices"

	"github.com/opencortex-go/cortex/plugins"
	"github.com/opencortex-go/cortex/skills/rules"
)

// programs are the tools whose programs the shipped skills judge.
var programs = []string{"javascript", "python"}

// Unjudged returns the tools that book declares, that run programs, and that no skill
// in the lock file names among those it judges. A lock that cannot be read has no skills;
// "" is none. The book may be nil.
func Unjudged(book *rules.Rulebook, lock string) []string {
	if book == nil {
		return nil
	}
	var judged []string
	if l, err := plugins.ReadLock(lock); lock != "" && err == nil {
		for _, e := range l.Skills {
			judged = append(judged, e.Judges...)
		}
	}
	var out []string
	for _, tool := range programs {
		if _, declared := book.Tool(tool); declared && !slices.Contains(judged, tool) {
			out = append(out, tool)
		}
	}
	return out
}
