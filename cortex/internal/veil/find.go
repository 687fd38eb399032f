package veil

import (
	"bytes"
	"crypto/sha256"
	"regexp"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// The bounds of what is found in one body. Beyond them a text that holds a secret is hidden whole.
const (
	perText    = 256       // secrets of one text
	perBody    = 512       // secrets of one body
	looked     = 4096      // texts of which it is remembered what was found
	longLooked = 2 << 10   // bytes of the longest of these
	longLook   = 256       // longer texts of which it is remembered
	maxFound   = 64        // texts of one session that are remembered
	shortest   = 10        // bytes of the shortest text that is looked at
	digestLong = 7 + 2*32  // bytes of a digest
	digestFrom = "sha256:" // how one begins
)

// finder finds what looks like a credential, wherever it stands.
type finder struct {
	in   func(text string) []string         // nil finds nothing
	seen *lru.Cache[string, []string]       // by text
	long *lru.Cache[[32]byte, long]         // of longer texts, by digest
	of   *lru.Cache[string, skills.Secrets] // what was found in a session
}

func newFinder(in func(string) []string) *finder {
	f := &finder{in: in}
	f.seen, _ = lru.New[string, []string](looked) // errs for sizes below 1 alone
	f.long, _ = lru.New[[32]byte, long](longLook)
	f.of, _ = lru.New[string, skills.Secrets](sessions)
	return f
}

// long is what was found in a text that is not kept itself.
type long struct {
	found []string
	whole bool // the text is hidden whole
}

// text lists the secrets of a text.
func (f *finder) text(text string) []string {
	switch {
	case f.in == nil || len(text) < shortest || isDigest(text):
		return nil
	case len(text) > longLooked:
		return f.longText(text)
	}
	if found, ok := f.seen.Get(text); ok {
		return found
	}
	found, whole := f.look(text)
	if whole {
		found = []string{text}
	}
	f.seen.Add(strings.Clone(text), found)
	return found
}

// longText is text for one that is too long to be kept.
func (f *finder) longText(text string) []string {
	key := sha256.Sum256([]byte(text))
	was, ok := f.long.Get(key)
	if !ok {
		found, whole := f.look(text)
		for _, x := range found {
			was.found = append(was.found, strings.Clone(x))
		}
		was.whole = whole
		f.long.Add(key, was)
	}
	if was.whole {
		return []string{text}
	}
	return was.found
}

// look lists the secrets of a text, or reports that it is to be hidden whole.
func (f *finder) look(text string) (found []string, whole bool) {
	found = slices.DeleteFunc(f.in(text), isOurs)
	if len(found) > perText || slices.Contains(found, text) {
		return nil, true
	}
	return found, false
}

// Look implements [journal.Veil].
func (v *Veil) Look(x sexpr.Value) {
	if v.keys == nil {
		return
	}
	if x.Kind() == sexpr.String && len(x.Text()) > longLooked {
		v.found.text(x.Text())
	}
	for _, item := range x.Items() {
		v.Look(item)
	}
}

// ids are the forms of what this program mints, which some rules take for keys: it is random, too.
var ids = regexp.MustCompile(`^[a-z]+_[a-z2-7]{26}$`)

func isOurs(text string) bool { return isDigest(text) || ids.MatchString(text) }

func isDigest(text string) bool {
	return len(text) == digestLong && strings.HasPrefix(text, digestFrom) &&
		!strings.ContainsFunc(text[len(digestFrom):], func(r rune) bool {
			return (r < '0' || r > '9') && (r < 'a' || r > 'f')
		})
}

// body returns the secrets of a printed body. If they are too many to be looked for one by one, it
// returns the texts that hold them.
func (f *finder) body(body []byte) (found skills.Secrets, whole map[string]bool) {
	if f.in == nil {
		return nil, nil
	}
	holding := map[string]bool{}
	var all []string
	atoms(body, func(text string) {
		if in := f.text(text); len(in) > 0 {
			holding[text] = true
			all = append(all, in...)
		}
	})
	if slices.Sort(all); len(slices.Compact(all)) > perBody {
		return nil, holding
	}
	for _, x := range slices.Compact(all) {
		found = found.WithText(x)
	}
	return found, nil
}

// atoms calls f with every text and every name in a printed value.
func atoms(body []byte, f func(text string)) {
	for i := 0; i < len(body); {
		switch c := body[i]; c {
		case '"', '|':
			end, escaped := i+1, false
			for end < len(body) && body[end] != c {
				if body[end] == '\\' {
					end, escaped = end+1, true
				}
				end++
			}
			f(unescaped(body[i:min(end+1, len(body))], escaped))
			i = end + 1
		case ' ', '(', ')', ':':
			i++
		default:
			n := bytes.IndexAny(body[i:], " ()\"|")
			if n < 0 {
				n = len(body) - i
			}
			if n >= shortest {
				f(string(body[i : i+n]))
			}
			i += max(n, 1)
		}
	}
}

// unescaped is the text of a printed atom, given with its quotes.
func unescaped(quoted []byte, escaped bool) string {
	if len(quoted) < 2 {
		return ""
	}
	if escaped {
		if v, err := record.Unlimited.Read("body", string(quoted)); err == nil {
			return v.Text()
		}
	}
	return string(quoted[1 : len(quoted)-1])
}

// Key is a dedupe key as it is to be on record and in its index: itself or, if it holds a secret, its digest.
func (v *Veil) Key(key string) string {
	if v.keys == nil || len(v.found.text(key)) == 0 {
		return key
	}
	return "hidden-" + record.ContentDigest(key).String()
}

// Masked replaces what looks like a credential, and what a session is known to hold in secret, in a text
// that leaves the record for good, such as a bundle. mark names a secret: equal ones alike.
func (v *Veil) Masked(session, text string, mark func(secret string) string) string {
	var found skills.Secrets
	for _, x := range v.found.text(text) {
		found = found.WithText(x)
	}
	return v.hiddenIn(session).Join(found).Replace(text, mark)
}

// hiddenIn returns the texts that are hidden wherever a session quotes them.
func (v *Veil) hiddenIn(session string) skills.Secrets {
	found, _ := v.found.of.Get(session)
	return v.known(session).Join(found)
}

// remember adds what was found in a session.
func (v *Veil) rememberFound(session string, texts skills.Secrets) {
	if len(texts) == 0 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	before, _ := v.found.of.Get(session)
	if free := max(0, maxFound-len(before)); free > 0 {
		v.found.of.Add(session, before.Join(texts[:min(len(texts), free)]))
	}
}
