package mine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// State is where a capability that was mined begins, whatever its text says.
const State = "mined"

// Log is the log of the candidates that are on record, and Kind the kind of its events.
const (
	Log  = "candidates"
	Kind = "mined"
)

// Body is what an event about a candidate says: what it is, its text by digest, and what was
// observed. by names the person who has it entered.
func (c Candidate) Body(by string) sexpr.Value {
	return sexpr.Plist("id", sexpr.Str(c.ID), "version", sexpr.Str(c.Version), "state", sexpr.Str(State),
		"digest", sexpr.Str(record.ContentDigest(c.Text).String()), "by", sexpr.Str(by),
		"report", sexpr.Plist("sequence", sexpr.Str(c.Sequence), "support", sexpr.Int64(int64(c.Support)),
			"success", sexpr.Float64(c.Success), "unit", sexpr.Str(c.Saving.Unit),
			"before", sexpr.Float64(c.Saving.Before), "with", sexpr.Float64(c.Saving.With)))
}

// write prints the capability, and returns its id. What a person has to add is said where it
// is missing, and until then the form does not load.
func (p *plan) write(c Candidate) (id, text string) {
	var b strings.Builder
	plan := p.plan()
	tools := p.tools()
	id = "mined." + nameOf(tools) + "-" + sexpr.DigestText("cortex/mined-id/1", plan).String()[len("sha256:"):][:8]
	fmt.Fprintf(&b, "; Mined from the record, for a person to look at. Nothing offers it to a model.\n"+
		"; %d traces had these calls and were answered without an error: %.0f%% of those that had them.\n"+
		"; As single calls they took %s, as one call they would take about %s.\n", c.Support, 100*c.Success,
		c.Saving.show(c.Saving.Before), c.Saving.show(c.Saving.With))
	fmt.Fprintf(&b, "(defcapability %s\n  :version %q\n  :doc %s\n", id, c.Version,
		sexpr.Str(strconv.Itoa(len(p.steps))+" calls that succeeded together: "+strings.Join(tools, ", ")+"."))
	if len(p.env) > 0 {
		fmt.Fprintf(&b, "  :compat (:env %s) ; facts.env.name in all traces\n", texts(p.env))
	}
	p.signature(&b)
	p.needs(&b, tools)
	if len(p.keywords) > 0 {
		fmt.Fprintf(&b, "  :offer (:keywords %s) ; words of the user's in all traces\n", texts(p.keywords))
	}
	if !p.reads {
		b.WriteString("  :once (:key (" + sexpr.Str(id).String())
		for _, in := range p.inputs {
			b.WriteString(" :" + in.name)
		}
		b.WriteString(") :within 86400)\n")
	}
	fmt.Fprintf(&b, "  :budget (:ms %d) ; 95 of 100 traces took no longer\n  :plan\n  (%s)\n", p.ms, plan)
	last := p.steps[len(p.steps)-1].name
	fmt.Fprintf(&b, "  :result (:%s \"{{work.%s}}\"))\n", last, last)
	return id, b.String()
}

// show is an amount with its unit.
func (s Saving) show(x float64) string {
	if s.Unit == "usd" {
		return fmt.Sprintf("$%.4f", x)
	}
	return fmt.Sprintf("%.1f %s", x, s.Unit)
}

func (p *plan) tools() (out []string) {
	for _, s := range p.steps {
		if !slices.Contains(out, s.tool) {
			out = append(out, s.tool)
		}
	}
	return out
}

// signature prints inputs and outputs.
func (p *plan) signature(b *strings.Builder) {
	if len(p.inputs) > 0 {
		b.WriteString("  :inputs (")
		for i, in := range p.inputs {
			fmt.Fprintf(b, "%s:%s %s", gap(i), in.name, in.kind)
		}
		b.WriteString(") :required (")
		for i, in := range p.inputs {
			fmt.Fprintf(b, "%s:%s", gap(i), in.name)
		}
		b.WriteString(")\n")
	}
	fmt.Fprintf(b, "  :outputs (:%s string)\n", p.steps[len(p.steps)-1].name)
}

// needs prints the tools, and the facts that held in all traces.
func (p *plan) needs(b *strings.Builder, tools []string) {
	fmt.Fprintf(b, "  :needs (:tools %s", texts(tools))
	if len(p.facts) > 0 {
		b.WriteString("\n          ; facts that were so in all traces: keep those that matter\n          :when (")
		for i, f := range p.facts {
			fmt.Fprintf(b, "%s(= facts.ctx.%s %s)", gap(i), f.name, f.value)
		}
		b.WriteString(")")
	}
	b.WriteString(")\n")
}

// plan prints the steps.
func (p *plan) plan() string {
	var b strings.Builder
	for i, s := range p.steps {
		if i > 0 {
			b.WriteString("\n   ")
		}
		for _, a := range s.args {
			fmt.Fprintf(&b, "; :%s: %s\n   ", a.path, a.source)
		}
		fmt.Fprintf(&b, "(%s :tool %s :args %s :ms %d", s.name, sexpr.Str(s.tool), s.arguments(), s.ms)
		outs := s.outs
		if i == len(p.steps)-1 {
			outs = append(slices.Clone(outs), outcome{s.name, "text"})
		}
		if len(outs) > 0 {
			b.WriteString(" :out (")
			for k, o := range outs {
				fmt.Fprintf(&b, "%s:%s %s", gap(k), o.name, o.from)
			}
			b.WriteString(")")
		}
		if s.reads {
			b.WriteString(` :undo "only reads")`)
			continue
		}
		b.WriteString("\n       ; :undo is missing: say what makes up for this call, or why nothing needs to\n       )")
	}
	return b.String()
}

// arguments prints the arguments of a step.
func (s planned) arguments() string { return nest(s.args, "").String() }

// nest makes a value of the arguments below a path.
func nest(args []argument, at string) sexpr.Value {
	var names []string
	below := map[string][]argument{}
	for _, a := range args {
		rest := strings.TrimPrefix(strings.TrimPrefix(a.path, at), ".")
		if rest == "" {
			return a.valueOf()
		}
		name, _, _ := strings.Cut(rest, ".")
		if below[name] == nil {
			names = append(names, name)
		}
		below[name] = append(below[name], a)
	}
	if len(names) == 0 {
		return sexpr.EmptyObject()
	}
	list := names[0] == "0"
	out := make([]sexpr.Value, 0, 2*len(names))
	for _, name := range names {
		to := name
		if at != "" {
			to = at + "." + name
		}
		if !list {
			out = append(out, sexpr.Key(name))
		}
		out = append(out, nest(below[name], to))
	}
	return sexpr.ListOf(out...)
}

func texts(list []string) string {
	out := make([]sexpr.Value, len(list))
	for i, s := range list {
		out[i] = sexpr.Str(s)
	}
	return sexpr.ListOf(out...).String()
}

func gap(i int) string {
	if i == 0 {
		return ""
	}
	return " "
}

// nameOf is a part of an id, of the names of tools.
func nameOf(tools []string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, strings.Join(tools, "-"))
	if name = strings.Trim(name, "-"); name == "" {
		return "calls"
	}
	return name[:min(len(name), 40)]
}
