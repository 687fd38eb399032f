package tracing

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/traces"
)

// node is a line, and the lines below it.
type node struct {
	text string
	more []string // further lines of its own
	sub  []*node
}

// tree returns a trace as lines.
func tree(t *traces.Trace, full bool) []string {
	root := &node{text: fmt.Sprintf("signal %d  %s  %s", t.Root, console.Stamp(t.Begun.At), said(t))}
	thoughts := map[*traces.Thought]*node{}
	calls := t.Calls
	for _, x := range t.Thoughts {
		for len(calls) > 0 && calls[0].ID < x.Seq {
			place(root, thoughts, calls[0])
			calls = calls[1:]
		}
		n := &node{text: thought(x)}
		if full {
			n.more = texts(x)
		}
		thoughts[x] = n
		root.sub = append(root.sub, n)
	}
	for _, c := range calls {
		place(root, thoughts, c)
	}
	for _, a := range t.Answers {
		root.sub = append(root.sub, &node{text: answer(a)})
	}
	out := root.lines("", "", nil)
	return append(out, total(t))
}

// place puts a decision below the question that it came from.
func place(root *node, thoughts map[*traces.Thought]*node, c *traces.Call) {
	n := &node{text: call(c)}
	for _, w := range c.Waits {
		n.sub = append(n.sub, &node{text: fmt.Sprintf("approval %d  %s after %s", w.Seq, w.State, took(w.Ended-w.Created))})
	}
	for _, r := range c.Runs {
		n.sub = append(n.sub, &node{text: run(r)})
	}
	to := root
	if at := thoughts[c.Thought]; at != nil {
		to = at
	}
	to.sub = append(to.sub, n)
}

func (n *node) lines(first, rest string, out []string) []string {
	out = append(out, first+n.text)
	for _, m := range n.more {
		bar := "│ "
		if len(n.sub) == 0 {
			bar = "  "
		}
		out = append(out, rest+bar+m)
	}
	for i, s := range n.sub {
		if i == len(n.sub)-1 {
			out = s.lines(rest+"└ ", rest+"  ", out)
		} else {
			out = s.lines(rest+"├ ", rest+"│ ", out)
		}
	}
	return out
}

func said(t *traces.Trace) string {
	return fmt.Sprintf("%s by %s in %s: %s", t.Signal.Sensor, strconv.Quote(t.Signal.Principal), strconv.Quote(t.Session),
		strconv.Quote(console.Clip(t.Signal.Text)))
}

func thought(x *traces.Thought) string {
	who := x.Provider
	if x.Model != "" {
		who += " " + x.Model
	}
	text := fmt.Sprintf("think %d  %s  %s, %d tokens in, %d out%s", x.Seq, who, took(int64(x.Took)), x.TokensIn,
		x.TokensOut, dollars(x.Cost))
	if x.Error != "" {
		return text + ": " + x.Error
	}
	return text + fmt.Sprintf("; asked %s, answered %s", digest(x.Prompt), digest(x.Answer))
}

func digest(s record.Said) string { return fmt.Sprintf("%d bytes %.19s", s.Bytes, s.Digest) }

// texts are what was asked and answered, a message a line.
func texts(x *traces.Thought) (out []string) {
	for _, s := range []struct {
		who string
		record.Said
	}{{"asked", x.Prompt}, {"answered", x.Answer}} {
		if s.Text != "" {
			out = append(out, s.who+" "+strings.NewReplacer(`},{"role"`, "},\n    {\"role\"").Replace(s.Text))
		}
	}
	return strings.Split(strings.Join(out, "\n"), "\n")
}

func call(c *traces.Call) string {
	text := fmt.Sprintf("decide %d  %s %s, %s", c.ID, c.Kind, c.Key, took(int64(c.Elapsed)))
	if c.Step != (record.Step{}) {
		text += fmt.Sprintf("  step %s, try %s", c.Step.ID, c.Step.Try)
	}
	a := c.Action
	if a == nil {
		a = c.Proposed
	}
	if a != nil {
		text += "  " + console.Clip(a.Tool()+" "+a.Args().String())
	}
	return text
}

func run(r *traces.Run) string {
	switch {
	case r.Receipt == nil:
		return fmt.Sprintf("run %d  no receipt", r.Seq)
	case r.Receipt.Error != "":
		return fmt.Sprintf("run %d  %s after %s: %s", r.Seq, r.Receipt.State, took(r.Ended-r.At),
			console.Clip(r.Receipt.Error))
	}
	return fmt.Sprintf("run %d  %s after %s: %s", r.Seq, r.Receipt.State, took(r.Ended-r.At),
		console.Clip(strings.Join(strings.Fields(r.Receipt.Show(r.Tool)), " ")))
}

func answer(a traces.Answer) string {
	text := strings.TrimSpace(a.Text + " " + a.Notice)
	if a.Error != "" {
		text = "error: " + a.Error
	}
	return "answer  " + strconv.Quote(console.Clip(text))
}

func total(t *traces.Trace) string {
	u, runs := t.Usage(), 0
	for _, c := range t.Calls {
		runs += len(c.Runs)
	}
	return fmt.Sprintf("%d questions, %d tokens in, %d out%s, %s thinking; %d decisions, %d runs; %s in all",
		len(t.Thoughts), u.TokensIn, u.TokensOut, dollars(u.Cost), took(int64(u.Took)), len(t.Calls), runs,
		took(t.End()-t.Begun.At))
}

func dollars(cost float64) string {
	if cost == 0 {
		return ""
	}
	return fmt.Sprintf(", $%.4f", cost)
}

// took is a duration that people can read.
func took(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d > time.Minute:
		return d.Round(time.Second).String()
	case d > time.Second:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}
