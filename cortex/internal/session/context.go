package session

import (
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// maxShare is the part of a context that one message may take.
const maxShare = 4

// Fit returns the newest messages that fit into so many bytes, oldest first, and
// how many are left out. A message that is too long for its share loses its
// middle. What a tool returned is not shown without the call before it.
func Fit(msgs []model.Message, limit int) (shown []model.Message, left int) {
	start, room := len(msgs), limit
	for i := len(msgs) - 1; i >= 0; i-- {
		n := min(size(msgs[i]), max(overhead, limit/maxShare))
		if n > room {
			break
		}
		room -= n
		if msgs[i].Role != model.RoleTool {
			start = i
		}
	}
	for _, m := range msgs[start:] {
		m.Text = shorten(m.Text, limit/maxShare)
		shown = append(shown, m)
	}
	return shown, start
}

// overhead is what a message takes besides its text, in bytes: who says it, and
// where it ends. It bounds how many short ones there are.
const overhead = 64

func size(m model.Message) int {
	n := overhead + len(m.Text)
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Arguments)
	}
	return n
}

// shorten cuts the middle out of a text that is longer than limit bytes.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	half := limit / 2
	return strings.ToValidUTF8(text[:half],
		"") + fmt.Sprintf("\n[... %d bytes left out ...]\n", len(text)-2*half) + strings.ToValidUTF8(text[len(text)-half:],
		"")
}

// maxLogs is how many of a session's refusals a model is reminded of.
const maxLogs = 20

// logs says what was refused in a session, newest first: facts of our own and
// the names of declared tools, never what a model or a tool wrote (weakness W26).
func (s *Sessions) logs(session string) ([]string, error) {
	turns, err := s.History.Turns(session, s.j.Last(), 0)
	if err != nil {
		return nil, err
	}
	book := s.Policies.Current().Gates
	var out []string
	for i := len(turns) - 1; i >= 0 && len(out) < maxLogs; i-- {
		if c := turns[i].Call; c != nil && c.Decision != "allow" {
			out = append(out, refusal(book, c))
		}
	}
	return out, nil
}

// refusal is one line about a call that was not allowed.
func refusal(book skills.Policy, c *skills.Call) string {
	tool := "an unknown tool"
	if t, ok := book.Tool(c.Tool); ok {
		tool = t.Name
	}
	if c.Decision == "ask" {
		return tool + ": held for a person's approval"
	}
	return tool + ": refused"
}
