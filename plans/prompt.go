package plans

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/source"
	"github.com/opencortex-go/cortex/sexpr"
)

func dashless(name string) string { return strings.ReplaceAll(name, "-", "_") }

// prose puts snippets in the place of their ids.
func (c *compiler) prose(p source.Prose, refs *[]RefOrigin) string {
	var b strings.Builder
	for _, part := range p.Parts {
		if part.Ref.S == "" {
			b.WriteString(c.bound(part.Text.S, part.Text.At))
			continue
		}
		text, ok := c.reg.refs[part.Ref.S]
		if !ok {
			unknown(c.Faults, part.Ref.At, "ref", part.Ref.S, c.reg.refs)
			continue
		}
		*refs = append(*refs, RefOrigin{part.Ref.S, canon.Digest([]byte(text)).String(), len(text)})
		b.WriteString(text)
	}
	return b.String()
}

var binding = regexp.MustCompile(`\{\{\s*wr\.bindings\.([^}\s]*)\s*\}\}`)

// bound fills extension points: with what the host binds, or their default.
func (c *compiler) bound(text string, at sexpr.Pos) string {
	return binding.ReplaceAllStringFunc(text, func(slot string) string {
		id := binding.FindStringSubmatch(slot)[1]
		i := slices.IndexFunc(c.w.Extensions, func(e source.Extension) bool { return e.SlotID.S == id })
		if i < 0 {
			c.Add(at, nil, "unknown extension point %q: declare it under extensionPoints", id)
			return slot
		}
		if to, ok := c.bindings[id]; ok {
			return to
		}
		return c.w.Extensions[i].Default.S
	})
}

// blocks are the parts of a prompt with what features add.
func (c *compiler) blocks(b *source.Blocks, refs *[]RefOrigin) *PromptBlocks {
	out := &PromptBlocks{Goal: c.prose(b.Goal, refs)}
	all := func(to *[]string, from []source.Prose) {
		for _, p := range from {
			*to = append(*to, c.prose(p, refs))
		}
	}
	all(&out.Constraints, b.Constraints)
	all(&out.Procedure, b.Procedure)
	all(&out.Verify, b.Verify)
	for _, o := range b.Outputs {
		out.Outputs = append(out.Outputs, Named{o.Name.S, c.prose(o.Is, refs)})
	}
	if out.render() == "" {
		c.Add(b.At, nil, "the prompt blocks are empty")
	}
	for _, f := range c.out.Features {
		more := c.reg.features[f.ID]
		all(&out.Constraints, more.Constraints)
		all(&out.Procedure, more.Procedure)
		all(&out.Verify, more.Verify)
	}
	return out
}

// render is the prompt that the blocks make.
func (b *PromptBlocks) render() string {
	var parts []string
	section := func(title string, lines []string, mark func(int) string) {
		if len(lines) == 0 {
			return
		}
		var s strings.Builder
		s.WriteString("## " + title)
		for i, l := range lines {
			s.WriteString("\n" + mark(i) + l)
		}
		parts = append(parts, s.String())
	}
	dash := func(int) string { return "- " }
	if b.Goal != "" {
		section("Goal", []string{b.Goal}, func(int) string { return "" })
	}
	section("Constraints", b.Constraints, dash)
	section("Procedure", b.Procedure, func(i int) string { return fmt.Sprintf("%d. ", i+1) })
	outputs := make([]string, len(b.Outputs))
	for i, o := range b.Outputs {
		outputs[i] = "**" + o.Name + "**: " + o.Text
	}
	section("Output Required", outputs, dash)
	section("Verify", b.Verify, dash)
	return strings.Join(parts, "\n\n")
}

// sentinels finds slots of compile time that no pass filled.
func (c *compiler) sentinels() {
	for s := range c.out.AllSteps() {
		all := []string{s.Title, s.Prompt}
		for _, f := range s.Fragments {
			all = append(all, f.Text)
		}
		if s.Person != nil {
			all = append(append(all, s.Person.Question), s.Person.Choices...)
		}
		for _, text := range all {
			if i := strings.Index(text, "{{wr."); i >= 0 {
				c.Add(c.w.At, nil, "step %s: nothing fills %q", s.ID, canon.Truncate(text[i:], 60))
			}
		}
	}
}
