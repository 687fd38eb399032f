package condition

import (
	"slices"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
)

// checkToolName reports the name of a tool, t, that differs from a declared one by
// case alone, and in a trigger or of an earlier call one that nothing declares: no
// action that the rules know has it, so the guard would be silent for ever.
func (l *lowerer) checkToolName(v sexpr.Value, of, t term) {
	if s, ok := t.lit.(string); ok && (v.IsSym("action.tool") || of.tool) {
		l.toolName(t.pos, s, l.trigger || of.tool)
	}
}

// toolName sees that a tool is spelled as it is declared, and, where it must be,
// that it is: by a deftool of any file, or by what runs it. Somebody who tries out
// a form may name any.
func (l *lowerer) toolName(p sexpr.Pos, name string, must bool) {
	if l.b.Tools[name] != nil || l.meter != nil {
		return
	}
	for _, known := range l.b.Spellings(name) {
		l.fail(p, "the tool is spelled %q, not %q", known, name)
		return
	}
	if must && !l.b.Recorded {
		l.fail(p, "no tool %q is declared%s; a deftool declares it, also where others run it", name,
			spell.DidYouMean(name, keysOf(l.b.Tools)))
	}
}

// checkWord reports a text that a value of few words is never.
func (l *lowerer) checkWord(t, with term) {
	s, ok := with.lit.(string)
	if words := t.typ.Words; ok && !t.bad && words != nil && !slices.Contains(words, s) {
		l.fail(with.pos, "%q is none of the words that this may be: %s%s", s, Listed(":", words), spell.DidYouMean(s, words))
	}
}

// declaredBudget sees that some tool spends from a budget.
func (l *lowerer) declaredBudget(p sexpr.Pos, name string) {
	if l.meter != nil || l.b.Recorded {
		return
	}
	budgets := map[string]bool{}
	for _, t := range l.b.Tools {
		for _, s := range t.Spends {
			if s.Budget == name {
				return
			}
			budgets[s.Budget] = true
		}
	}
	l.fail(p, "no tool spends from a budget %q%s; a deftool says what its calls take: :spends (:%s :amount)", name,
		spell.DidYouMean(name, keysOf(budgets)), name)
}
