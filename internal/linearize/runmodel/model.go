package runmodel

import (
	"slices"
	"strings"
)

// Flow is a workflow, and how its runs go on.
type Flow struct {
	Steps []Step
	Never bool // nothing stops it: missing notes are a gap
	Tries int  // as many in a row that are blocked end it, until a person releases it
}

// Step is a step, which needs notes.
type Step struct {
	ID    string
	Text  string // of its prompt; TOPIC in it is the topic of the run
	Needs bool   // it cannot begin without a topic
}

// topicSlot is where a text names the topic.
const topicSlot = "TOPIC"

// The codes of what blocks.
const (
	noNotes = "MISSING_REQUIRED_NOTES"
	noTopic = "MISSING_CONTEXT_KEY"
	breaker = "ATTEMPT_LIMIT"
)

// node is a place of a run.
type node struct {
	parent  *node
	mark    bool // a checkpoint: it leads nowhere
	step    int  // that is pending; behind the last one the run is complete
	blocked []string
	ended   bool // by the breaker
	tries   int  // that were blocked in a row, up to here
	notes   string
	born    int // the entry
}

// run is a run as far as it was entered.
type run struct {
	flow   Flow
	nodes  []*node
	topics []string // after each entry
	gaps   []int    // critical ones, after each entry
}

func (r *run) last() int { return len(r.topics) - 1 }

func (r *run) topic() string {
	if len(r.topics) == 0 {
		return ""
	}
	return r.topics[r.last()]
}

// changed is what a topic becomes: "" leaves it, "-" removes it.
func changed(old, by string) string {
	switch by {
	case "":
		return old
	case "-":
		return ""
	}
	return by
}

// note ends an entry.
func (r *run) note(n *node, topic string, gaps int) *node {
	n.born = len(r.topics)
	if len(r.gaps) > 0 {
		gaps += r.gaps[r.last()]
	}
	r.nodes, r.topics, r.gaps = append(r.nodes, n), append(r.topics, topic), append(r.gaps, gaps)
	return n
}

func (r *run) start(topic string) *node { return r.note(&node{}, topic, 0) }

func (r *run) checkpoint(at *node) *node { return r.note(&node{parent: at, mark: true}, r.topic(), 0) }

// advance hands in notes at a place. One of the run's topics is all that the whole run has: it does
// not go back with a rewind, and what was handed in with a block is there as well.
func (r *run) advance(at *node, notes, topic string) *node {
	n, gaps := &node{parent: at, step: at.step, notes: notes}, 0
	topic = changed(r.topic(), topic)
	if strings.TrimSpace(notes) == "" {
		if r.flow.Never {
			gaps++
		} else {
			n.blocked = append(n.blocked, noNotes)
		}
	}
	if next := at.step + 1; n.blocked == nil && next < len(r.flow.Steps) && r.flow.Steps[next].Needs && topic == "" {
		n.blocked = append(n.blocked, noTopic)
	}
	if n.blocked == nil {
		n.step++
		return r.note(n, topic, gaps)
	}
	n.tries, gaps = at.tries+1, 0
	if n.tries >= r.flow.Tries {
		n.ended, n.blocked, gaps = true, append(n.blocked, breaker), 1
	}
	slices.Sort(n.blocked)
	return r.note(n, topic, gaps)
}

// ways are how many ways go on from a place, as of an entry.
func (r *run) ways(from *node, asOf int) (n int) {
	for _, x := range r.nodes[:asOf+1] {
		if x.parent == from && !x.mark {
			n++
		}
	}
	return n
}

// recap is the notes on the way to a place, the newest first. What did not pass is not told.
func recap(n *node) (out []string) {
	for ; n != nil; n = n.parent {
		if n.blocked == nil && strings.TrimSpace(n.notes) != "" {
			out = append(out, n.notes)
		}
	}
	return out
}

// tip is where the run stands: at the newest place.
func (r *run) tip(asOf int) (tip *node, tips int) {
	for _, n := range r.nodes[:asOf+1] {
		if n.mark {
			continue
		}
		tip = n
		if r.ways(n, asOf) == 0 {
			tips++
		}
	}
	return tip, tips
}

func (r *run) status(asOf int) string {
	tip, _ := r.tip(asOf)
	switch {
	case tip.step == len(r.flow.Steps) && r.gaps[asOf] > 0:
		return "complete_with_gaps"
	case tip.step == len(r.flow.Steps):
		return "complete"
	case tip.blocked != nil && !r.flow.Never:
		return "blocked"
	}
	return "in_progress"
}

// text is what the prompt of a step says.
func (r *run) text(step int, topic string) string {
	if topic == "" {
		topic = "[unset: topic]"
	}
	return strings.ReplaceAll(r.flow.Steps[step].Text, topicSlot, topic)
}
