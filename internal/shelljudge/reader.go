package shelljudge

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Benign are the programs and builtins that the names-only rule allows.
var Benign = strings.Fields(`ls cat head tail wc grep diff git go npm make jq rg sort uniq cut tr sed awk date id whoami uname hostname stat du file seq basename dirname cmp
	column tree echo printf true false : [ test pwd cd`)

// Plain are the operands, and PlainFlags the flags, that the rules on words allow.
var (
	Plain      = strings.Fields("a b c x y z a.txt b.txt src src/main.go notes status test 1 2 3 sub ] =")
	PlainFlags = strings.Fields("-l -a -n -r -f -e -x --help --all -1")
)

// maxLen is the greatest number of operands that a rule is made for.
const maxLen = 3

// The names of the rules.
const (
	ruleNames = "names"
	rulePaths = "paths"
	ruleWords = "words"
	ruleFlags = "flags"
	ruleSelf  = "self-protection"
)

func ruleLen(n int) string { return fmt.Sprintf("at most %d operands", n) }

// Reader asks the reader of command lines, through rules and by its functions.
type Reader struct {
	books      map[string]skills.Policy
	facts      *skills.Facts
	shell, any func(c *skills.Case, args []any) (any, error) // the functions shell and glob-any?
	paths      func(c *skills.Case, args []any) (any, error)
}

// NewReader loads the rules. What facts.env tells is what [Environment] has under
// the same names, and nothing else.
func NewReader() (*Reader, error) {
	conditions := map[string]string{
		ruleNames: "(every-or-empty (shell action.args.cmd) (in it.name " + list(Benign) + "))",
		rulePaths: "(every-or-empty (paths action) (under? it \"" + Work + "\"))",
		ruleWords: "(every-or-empty (shell action.args.cmd) (every-or-empty it.operands (matches? it " + oneOf(Plain) + ")))",
		ruleFlags: "(every-or-empty (shell action.args.cmd) (every-or-empty it.flags (matches? it " + oneOf(PlainFlags) +
			")))",
		ruleSelf: "t",
	}
	for n := range maxLen + 1 {
		conditions[ruleLen(n)] = fmt.Sprintf("(every-or-empty (shell action.args.cmd) (<= (len it.operands) %d))", n)
	}
	r := &Reader{books: map[string]skills.Policy{}, facts: &skills.Facts{
		Env: sexpr.Plist("cwd", sexpr.Str(Work), "home", sexpr.Str(Home), "path", sexpr.Str(Path)),
	}}
	for name, condition := range conditions {
		text := `(deftool shell :params (:cmd command) :required (:cmd) :tier :ask)
			(defskill judge :trigger (= action.tool "shell") :gate ((allow fits :when ` + condition + ` :reason "it fits")))`
		book, err := rules.Load(fstest.MapFS{"judge.lisp": {Data: []byte(text)}})
		if err != nil {
			return nil, fmt.Errorf("the rule %s: %w", name, err)
		}
		r.books[name] = book
	}
	for _, f := range facts.Core() {
		switch f.Name {
		case "shell":
			r.shell = f.Call
		case "paths":
			r.paths = f.Call
		case "glob-any?":
			r.any = f.Call
		}
	}
	return r, nil
}

func list(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return "(" + strings.Join(quoted, " ") + ")"
}

// oneOf is a pattern that the names match, which costs less than a list in a loop in
// a loop.
func oneOf(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = regexp.QuoteMeta(n)
	}
	return fmt.Sprintf("%q", `\A(?:`+strings.Join(quoted, "|")+`)\z`)
}

// Reading is what the reader says of a line.
type Reading struct {
	Line     string
	Commands []map[string]any // as (shell cmd) lists them
	Paths    []any            // as (paths action) lists them
	PathsOK  bool             // Paths are all of them
	Allowed  map[string]bool  // by the name of the rule
	c        *skills.Case
	any      func(c *skills.Case, args []any) (any, error)
}

// Read reads a line. An error says why the line is not readable: the reader says
// so, or it says that the line may run more than it lists.
func (r *Reader) Read(line string) (*Reading, error) {
	a, err := skills.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(line)), "")
	if err != nil {
		return nil, err
	}
	c := r.newCase(a)
	got, err := r.shell(c, []any{line})
	if err != nil {
		return nil, err
	}
	all, ok := got.([]any)
	if !ok {
		return nil, fmt.Errorf("(shell cmd) gave %T, expected a list", got)
	}
	out := &Reading{Line: line, Allowed: map[string]bool{}, c: c, any: r.any}
	for _, x := range all {
		if more, ok := x.(facts.Unknown); ok {
			return nil, more
		}
		out.Commands = append(out.Commands, x.(map[string]any))
	}
	if got, err := r.paths(c, []any{a}); err == nil {
		out.Paths = got.([]any)
		out.PathsOK = !slices.ContainsFunc(out.Paths, func(x any) bool { _, is := x.(facts.Unknown); return is })
	}
	for name, book := range r.books {
		req := reason.Request{Policy: book, Facts: r.facts, NoTrace: true, Action: a}
		if name == ruleSelf {
			req.Places = &reason.Places{Paths: []string{"/protected"}}
		}
		d := reason.Decide(context.Background(), req)
		out.Allowed[name] = d.Kind == reason.Allow
	}
	return out, nil
}

func (r *Reader) newCase(a *skills.Action) *skills.Case {
	tool := &skills.Tool{Name: "shell", Params: []skills.Param{{Name: "cmd", Type: skills.Type{Kind: skills.KindCommand}}}}
	return skills.NewCase(a, tool, r.facts)
}

// matches reports whether a path that the reader listed may be this one, or with
// below, one below it.
func (r *Reading) matches(listed any, file string, below bool) bool {
	if text, ok := listed.(string); ok && !below {
		return text == file
	}
	glob := escape(file)
	if below {
		glob = strings.TrimSuffix(glob, "/") + "/**"
	}
	got, err := r.any(r.c, []any{listed, []any{glob}})
	return err == nil && got == true
}

// escape makes a text a glob that matches it alone.
func escape(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if strings.IndexByte(`*?[]{}\!^-`, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// String spells what was listed, for failures.
func (r *Reading) String() string {
	var b strings.Builder
	for _, c := range r.Commands {
		fmt.Fprintf(&b, "(%s operands %s flags %s redirects %s via %s) ", spell(c["name"]), spell(c["operands"]),
			spell(c["flags"]), spell(c["redirects"]), spell(c["via"]))
	}
	fmt.Fprintf(&b, "paths %s", spell(r.Paths))
	return b.String()
}

func spell(v any) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = spell(x)
		}
		return "[" + strings.Join(parts, " ") + "]"
	case map[string]any:
		return spell(v["op"]) + spell(v["target"])
	case facts.Unknown:
		return "?"
	case facts.Pattern:
		return "<" + v.Text + ">"
	case facts.Word:
		return fmt.Sprintf("%q", v.Text)
	}
	return fmt.Sprintf("%q", v)
}
