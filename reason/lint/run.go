package lint

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/skills/rules"
)

// Run returns what is wrong with the rules of book, by file and place. It is a pure
// function of the book, needs no host, and judges only actions of its own. Work is
// bounded: what would take too long is not looked into.
func Run(book *rules.Rulebook) []Finding {
	return within(context.Background(), book)
}

// Within is [Run] for callers that must go on whatever happens. It ends soon after ctx
// does, with what was found until then and the error of ctx. If lint panics, it finds
// nothing, and the error says so.
func Within(ctx context.Context, book *rules.Rulebook) (found []Finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			found, err = nil, fmt.Errorf("lint panicked: %v", p)
		}
	}()
	return within(ctx, book), ctx.Err()
}

func within(ctx context.Context, book *rules.Rulebook) []Finding {
	left := maxWork
	l := &linter{ctx: ctx, book: book, names: namesOf(book), left: &left}
	l.clauses = l.read()
	for i := range l.clauses {
		l.look(i)
	}
	for i := range l.clauses {
		l.compare(i)
	}
	l.found = append(l.found, guesses(book)...)
	out := silence(book, l.found)
	order := map[string]int{}
	for i, f := range book.Files() {
		order[f.Path] = i
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(order[a.File], order[b.File]), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col), cmp.Compare(a.ID, b.ID))
	})
	return slices.Compact(out)
}

// maxWork bounds the facts that are looked at and the actions that are tried for one
// book, which is about a second. Single clauses come first, so that pairs of them are
// what is left out.
const maxWork = 50_000

// perTry is the work of trying an action, in facts.
const perTry = 10

// work takes so much of what may still be done. It reports whether there is enough.
func (l *linter) work(n int) bool {
	*l.left -= n
	return *l.left >= 0 && l.ctx.Err() == nil
}
