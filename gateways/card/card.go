// Package card renders the card that asks a person for approval, from typed fields
// alone.
//
// Cards appear on terminals and in chats, and the author of the action wants it
// approved. So action text must not affect the layout. Every value is quoted on a
// line of its own, after a label of ours. Characters that hide, reorder or imitate
// text are escaped. Long values show their beginning, their end, their length and a
// digest; credentials show their kind. No byte of an action changes the number of a
// card's lines, or their beginnings.
package card

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
)

// The size limits of a card, in bytes and in fields.
const (
	maxValue  = 240 // a longer one shows its ends
	headShown = 120
	tailShown = 60
	maxFields = 40 // of the arguments
)

// Options configures cards. The zero value shows secrets.
type Options struct {
	// Mask replaces credentials in a text and keeps the rest; see NewMask of
	// skills/facts/secrets. nil replaces nothing.
	Mask func(text string) string
}

// Card is one approval, ready to show.
type Card struct {
	Token string
	Code  string // twelve digits, the same in every place that shows this card
	State string
	// Answers says that a yes is not enough: the question takes an answer in words, and a
	// gateway shows no button for a yes.
	Answers bool
	Fields  []Field
	plan    bool // it asks for steps of a plan
}

// Field is one line of a card. Both parts are safe to print.
type Field struct {
	Name, Value string
	argument    bool // an action's argument: a short card omits these first
}

// New renders an approval. code is its [engine.Approvals.Code].
func New(a *cortex.Approval, code string, opt Options) Card {
	r := renderer{Options: opt}
	c := Card{Token: a.Token, Code: Digits(code), State: string(a.State)}
	add := func(name, value string) { c.Fields = append(c.Fields, Field{Name: name, Value: value}) }
	add("tool", r.text(a.Action.Tool()))
	if q, ok := a.Question(); ok {
		c.Fields = append(c.Fields, r.question(q)...)
		c.Answers = q.Waits()
	} else {
		c.Fields = append(c.Fields, r.arguments(a.Action.Args())...)
	}
	c.Fields, c.plan = append(c.Fields, r.plan(a)...), a.Planned()
	add("digest", a.Action.Digest().String())
	add("for", r.text(a.Requester)+" in session "+r.text(a.Session))
	if a.Action.Explanation() != "" {
		add("it says", r.text(a.Action.Explanation()))
	}
	for _, s := range a.Slots {
		add("asked by", fmt.Sprintf("%s: %s (%d of %d of %s)", r.word(s.Reason.Key), r.text(s.Reason.Text), len(s.By),
			s.Quorum, r.word(s.Class)))
	}
	for _, line := range found(a) {
		add("found", r.text(line))
	}
	add("until", time.Unix(a.Expires, 0).UTC().Format("2006-01-02 15:04:05 UTC"))
	if a.Why != "" {
		add("answer", r.text(a.By)+" says "+r.text(a.Why))
	}
	return c
}

// found is what the rules that ask found in the session, each sentence once.
func found(a *cortex.Approval) (lines []string) {
	for _, s := range a.Slots {
		for line := range strings.SplitSeq(s.Reason.Advice, "\n") {
			if line != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// Digits writes a code in groups of four, for people to compare.
func Digits(code string) string {
	var groups []string
	for len(code) > 4 {
		groups, code = append(groups, code[:4]), code[4:]
	}
	return strings.Join(append(groups, code), " ")
}

// Outcome describes in one line how a card ended, by whom and why.
func Outcome(a *cortex.Approval) string {
	var by []string
	for _, s := range a.Slots {
		for _, name := range s.By {
			if !slices.Contains(by, name) {
				by = append(by, name)
			}
		}
	}
	if a.By != "" {
		by = []string{a.By}
	}
	text := string(a.State)
	if len(by) > 0 && a.State != cortex.Expired {
		text += " by " + strings.Join(by, ", ")
	}
	if a.Why != "" {
		text += fmt.Sprintf(": %s", Visible(a.Why))
	}
	return text
}

// Text is the card as lines: a title, then one line per field.
func (c Card) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "approval %s  %s  [%s]\n", c.Token, c.State, c.Code)
	width := 0
	for _, f := range c.Fields {
		width = max(width, utf8.RuneCountInString(f.Name))
	}
	for _, f := range c.Fields {
		fmt.Fprintf(&b, "  %s%s  %s\n", f.Name, strings.Repeat(" ", width-utf8.RuneCountInString(f.Name)), f.Value)
	}
	return b.String()
}

// Short is [Card.Text] in at most limit bytes: it omits and counts the last
// arguments.
func (c Card) Short(limit int) string {
	text, left := c.Text(), 0
	for len(text) > limit {
		i := len(c.Fields) - 1
		for i >= 0 && !c.Fields[i].argument {
			i--
		}
		if i < 0 {
			return strings.ToValidUTF8(text[:limit], "")
		}
		left++
		cut := c
		cut.Fields = slices.Concat(c.Fields[:i:i], c.Fields[i+1:])
		c = cut
		cut.Fields = slices.Insert(slices.Clone(c.Fields), i, more(left))
		text = cut.Text()
	}
	return text
}

// more is the line for omitted arguments.
func more(n int) Field {
	return Field{Name: "...", Value: fmt.Sprintf("%d more values, which this card has no room for: see the digest", n)}
}

type renderer struct {
	Options
	whole bool // long values are shown in full
}

// text renders an untrusted string.
func (r renderer) text(s string) string {
	shown := s
	if r.Mask != nil {
		shown = r.Mask(s)
	}
	if r.whole || len(shown) <= maxValue {
		return Visible(shown)
	}
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%s ... %s (%d bytes, sha256 %s)", Visible(head(shown)), Visible(tail(shown)), len(s),
		hex.EncodeToString(sum[:6]))
}

// head and tail cut between characters.
func head(s string) string {
	n := headShown
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func tail(s string) string {
	n := len(s) - tailShown
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return s[n:]
}

// arguments has one field for each value that is not an object or list.
func (r renderer) arguments(args sexpr.Value) []Field {
	var out []Field
	left := 0
	r.walk("", args, func(f Field) {
		if len(out) < maxFields {
			out = append(out, f)
			return
		}
		left++
	})
	if left > 0 {
		out = append(out, more(left))
	}
	return out
}

func (r renderer) walk(path string, v sexpr.Value, add func(Field)) {
	items := v.Items()
	switch {
	case v.IsObject() && len(items) > 0:
		for ; len(items) > 1; items = items[2:] {
			r.walk(path+":"+r.word(items[0].Text())+" ", items[1], add)
		}
	case len(items) > 0:
		for i, x := range items {
			r.walk(fmt.Sprintf("%s[%d] ", strings.TrimSuffix(path, " "), i), x, add)
		}
	case v.Kind() == sexpr.String:
		add(Field{Name: name(path), Value: r.text(v.Text()), argument: true})
	default:
		add(Field{Name: name(path), Value: v.String(), argument: true})
	}
}

func name(path string) string {
	if path == "" {
		return "arguments"
	}
	return strings.TrimSuffix(path, " ")
}

// word renders a name: unchanged if it is an ordinary one, and quoted if not. A name
// is untrusted too, and may be a credential.
func (r renderer) word(s string) string {
	if r.Mask != nil && r.Mask(s) != s {
		return r.text(s)
	}
	for i, c := range s {
		ok := c == '-' || c == '_' || c == '/' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c &&
			c <= 'Z'
		if !ok || i >= 64 {
			return r.text(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}
