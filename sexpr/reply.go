package sexpr

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ReplyKind is the kind of a model's reply.
type ReplyKind uint8

// The kinds of reply. Empty comes first: the zero Reply is empty.
const (
	Empty     ReplyKind = iota // no text, or ()
	Prose                      // for people
	Proposal                   // exactly one proposal
	Malformed                  // an attempt at a proposal that cannot be read
)

// String names the kind as records and messages do.
func (k ReplyKind) String() string {
	switch k {
	case Empty:
		return "empty"
	case Prose:
		return "prose"
	case Proposal:
		return "proposal"
	case Malformed:
		return "malformed"
	}
	return "reply kind " + strconv.Itoa(int(k))
}

// Reply is a classified reply of a model.
type Reply struct {
	Kind ReplyKind
	// of a Proposal: the keys of envelope and payload, and the words after :type and :target, are keywords in lower case
	Form Value
	Text string // the reply without the white space around it: what to show if it is Prose
	Err  error  // of a Malformed reply: an *Error with the place in the reply and what was expected
}

// replyFile names the source in errors about replies.
const replyFile = "reply"

// ReadReply finds the proposal in the reply of a model (rows 34-41 and 50). A
// plist is one if it has :type :request, or no type and names a tool; and if it
// is the whole reply, fenced or not, or the only fenced block tagged lisp or
// plist. A reply that begins as a proposal and cannot be read is Malformed, and so is
// one with two blocks; everything else is Prose. Replies are never evaluated.
//
// quoted are the untrusted texts that the model had read. A proposal that occurs word
// for word in one of them, white space aside, is a quotation and so Prose.
func (r Reader) ReadReply(text string, quoted []string) Reply {
	rr := replyReader{text: text, quoted: quoted, limits: r.Limits.orDefaults()}
	reply := rr.read()
	reply.Text = strings.TrimSpace(text)
	return reply
}

// replyReader reads one reply.
type replyReader struct {
	text   string
	quoted []string // the untrusted texts; once needed, without white space
	bare   bool     // whether that is done
	limits Limits
}

func (r *replyReader) read() Reply {
	if len(r.text) > r.limits.Bytes {
		return Reply{Kind: Malformed, Err: tooLong(replyFile, len(r.text), r.limits.Bytes)}
	}
	if !utf8.ValidString(r.text) {
		return Reply{Kind: Malformed, Err: checkText(r.text).locate(replyFile, r.text, start)}
	}
	all := r.trim(span{0, len(r.text)})
	if all.from == all.to {
		return Reply{Kind: Empty}
	}
	if r.text[all.from] == '(' {
		return r.judge(all)
	}
	blocks := r.fences()
	if len(blocks) == 1 && blocks[0].open == all.from && blocks[0].end >= all.to {
		return r.judge(blocks[0].body)
	}
	return r.tagged(blocks)
}

// tagged finds the one proposal among the blocks of a longer text.
func (r *replyReader) tagged(blocks []block) Reply {
	found, tried, second := Reply{Kind: Prose}, 0, 0
	for _, b := range blocks {
		if !b.tagged || r.isQuotation(b.body) {
			continue
		}
		if tried++; tried == 2 {
			second = b.open
		}
		if reply := r.judge(b.body); reply.Kind == Proposal || reply.Kind == Malformed {
			found = reply
		}
	}
	if tried < 2 || found.Kind == Prose {
		return found
	}
	f := fault{off: second, found: "a second block tagged lisp or plist",
		expected: "one block, with one proposal, in a reply"}
	return Reply{Kind: Malformed, Err: f.locate(replyFile, r.text, start)}
}

// judge classifies the text in body, given that it is the only candidate.
func (r *replyReader) judge(body span) Reply {
	body = r.trim(body)
	if body.from == body.to {
		return Reply{Kind: Empty}
	}
	at, _ := skipBlanks(r.text[:body.to], body.from)
	if at == body.to || r.text[at] != '(' || r.isQuotation(body) {
		return Reply{Kind: Prose}
	}
	forms, err := r.parse(body)
	if err != nil {
		if !beginsProposal(r.text[at:body.to]) {
			return Reply{Kind: Prose}
		}
		return Reply{Kind: Malformed, Err: err}
	}
	form := envelope(forms[0])
	switch {
	case form.IsNil():
		return Reply{Kind: Empty}
	case !isProposal(form):
		return Reply{Kind: Prose}
	}
	if err := checkPlists(&form); err != nil {
		e := asError(err)
		e.File = replyFile
		return Reply{Kind: Malformed, Err: e}
	}
	return Reply{Kind: Proposal, Form: form}
}

// parse reads the one datum in a part of the reply; positions count from the
// reply's start.
func (r *replyReader) parse(body span) ([]Value, error) {
	if f := checkText(r.text[body.from:body.to]); f != nil {
		f.off += body.from
		return nil, f.locate(replyFile, r.text, start)
	}
	l := newFormLexer(replyFile, r.text[:body.to], r.limits, false)
	l.off, l.single = body.from, true
	return parse(l)
}

// trim cuts white space from both ends.
func (r *replyReader) trim(s span) span {
	text := r.text[s.from:s.to]
	s.from += len(text) - len(strings.TrimLeft(text, " \t\r\n\f"))
	s.to -= len(text) - len(strings.TrimRight(text, " \t\r\n\f"))
	return span{s.from, max(s.from, s.to)}
}

// isQuotation reports whether the datum in body occurs in an untrusted text that the
// model had read, as text or escaped as in JSON.
func (r *replyReader) isQuotation(body span) bool {
	if len(r.quoted) == 0 {
		return false
	}
	l := newFormLexer(replyFile, r.text[:body.to], r.limits, false)
	l.off, _ = skipBlanks(l.src, body.from) // comments around it change nothing
	from := l.off
	if l.form() != nil {
		l.off = body.to
	}
	words := squeeze(r.text[from:l.off])
	if words == "" {
		return false
	}
	if !r.bare {
		r.quoted, r.bare = bareTexts(r.quoted), true
	}
	return slices.ContainsFunc(r.quoted, func(q string) bool { return strings.Contains(q, words) })
}

// bareTexts returns texts without white space; a text that may stand escaped in
// JSON also without its escapes.
func bareTexts(texts []string) []string {
	var out []string
	for _, s := range texts {
		out = append(out, squeeze(s))
		if strings.IndexByte(s, '\\') >= 0 {
			out = append(out, squeeze(jsonEscapes.Replace(s)))
		}
	}
	return out
}

// jsonEscapes reverses the escaping of a JSON string.
var jsonEscapes = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\r`, "\r", `\t`, "\t", `\/`, "/")

// squeeze removes all white space.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// The words that a proposal without colons may begin with.
func isEnvelopeWord(name string) bool {
	switch name {
	case "type", "target", "tool", "action", "payload", "args", "explanation", "meta":
		return true
	}
	return false
}

// beginsProposal reports whether an unreadable text was meant to be a proposal:
// whether its first word is a keyword, or one of the envelope's words.
func beginsProposal(src string) bool {
	at, _ := skipBlanks(src, 1)
	if at < len(src) && src[at] == ':' {
		return true
	}
	end := at
	for end < len(src) && classes[src[end]]&atom != 0 {
		end++
	}
	return isEnvelopeWord(lower(src[at:end]))
}

// envelope returns a form with the keys of its envelope and payload, and the words
// after :type and :target, as lower-case keywords (row 38). It returns any other form
// unchanged.
func envelope(form Value) Value {
	items := form.Items()
	if len(items) == 0 || !isWord(items[0]) || items[0].kind == Symbol && !isEnvelopeWord(lower(items[0].text)) {
		return form
	}
	form = keyed(form)
	for i := 0; i+1 < len(form.list); i += 2 {
		value := &form.list[i+1]
		switch k := form.list[i]; {
		case k.IsKey("payload") && len(value.list) > 0 && isWord(value.list[0]):
			*value = keyed(*value)
		case (k.IsKey("type") || k.IsKey("target")) && isWord(*value):
			*value = Key(lower(value.text)).At(value.pos)
		}
	}
	return form
}

// keyed returns a copy of a list with the words at even places as keywords.
func keyed(v Value) Value {
	v.list = append([]Value(nil), v.list...)
	for i := 0; i < len(v.list); i += 2 {
		if k := v.list[i]; isWord(k) {
			v.list[i] = Key(lower(k.text)).At(k.pos)
		}
	}
	return v
}

// isWord reports whether v is a keyword, or a symbol other than t, false, null and
// {}.
func isWord(v Value) bool {
	switch v.kind {
	case Keyword:
		return true
	case Symbol:
		return v.text != "t" && v.text != "false" && v.text != "null" && v.text != "{}"
	}
	return false
}

// isProposal reports whether an envelope is a proposal: it has :type :request, or no
// type and names a tool.
func isProposal(form Value) bool {
	if !form.IsPlist() {
		return false
	}
	if typ, ok := form.Get("type"); ok && !typ.IsNil() {
		return typ.kind != List && strings.EqualFold(typ.text, "request")
	}
	payload, _ := form.Get("payload")
	for _, v := range []Value{form, payload} {
		if tool, ok := v.Get("tool"); ok && !tool.IsNil() {
			return true
		}
	}
	return false
}

// checkPlists finds plists, at any depth, that cannot have a canonical form. A tool's
// schema may still turn symbols in the place of keys into keys.
func checkPlists(v *Value) error {
	_, err := checkBelow(nil, v)
	return err
}

// checkBelow lends one slice to all the plists, and returns it.
func checkBelow(order []int32, v *Value) ([]int32, error) {
	if v.IsPlist() {
		words := false
		for i := 0; i < len(v.list); i += 2 {
			words = words || v.list[i].kind == Symbol
		}
		if !words || len(v.list)%2 != 0 {
			var err error
			if order, err = appendOrder(order[:0], v); err != nil {
				return order, err
			}
		}
	}
	for i := range v.list { // no deeper than the reader allowed
		if v.list[i].kind != List {
			continue
		}
		var err error
		if order, err = checkBelow(order, &v.list[i]); err != nil {
			return order, err
		}
	}
	return order, nil
}
