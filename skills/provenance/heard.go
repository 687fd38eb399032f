package provenance

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/runs"
	"github.com/opencortex-go/cortex/skills/provenance/internal/speech"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// heard is words of the user: of all messages, or of one sentence.
type heard struct {
	l         *lexicon.Lexicon
	atoms     *runs.Runs
	twins     *runs.Runs // the same with what looks alike folded
	plain     []string   // by position in twins: the atom itself
	loose     *runs.Runs
	forbidden []bool // by position in atoms: in a prohibition
	message   []int32
	texts     []utterance
	stems     map[string]bool
	groups    uint64
	shapes    map[words.Shape][]string // the atoms that look like an address, a number ...
	bytes     int
}

// utterance is one message, or a part of one.
type utterance struct {
	ref  Ref
	text string
}

func newHeard(l *lexicon.Lexicon, d *runs.Dict) *heard {
	return &heard{
		l: l, atoms: runs.New(d), twins: runs.New(d), loose: runs.New(d),
		stems: map[string]bool{}, shapes: map[words.Shape][]string{},
	}
}

// hear adds what one message says in the user's own words.
func (h *heard) hear(ref Ref, s *speech.Speech) {
	h.texts = append(h.texts, utterance{ref, s.Own})
	h.bytes += len(s.Own)
	h.words(s)
	for _, d := range words.Days(s.Atoms, h.l.Months) {
		i, ok := slices.BinarySearchFunc(s.Atoms, d.Start, func(a words.Word, at int) int { return a.Start - at })
		h.add([]string{dayKey(d.Date)}, []int{d.Start}, []bool{ok && s.Forbidden[i]})
		h.shapes[words.Day] = append(h.shapes[words.Day], d.Date.Key())
	}
	for _, a := range s.Atoms {
		h.shapes[a.Shape] = append(h.shapes[a.Shape], a.Key)
	}
	ws := words.Loose(s.Own)
	h.loose.Add(words.Keys(ws), words.Starts(ws))
	for st := range s.Stems {
		h.stems[st] = true
	}
	h.groups |= s.Groups
}

// stop is the word that stands where a sentence ends; no value reaches over it unless
// the value has it, too.
const stop = "\x00"

// sequence returns the keys of words with the ends of sentences among them, and where
// each stands.
func sequence(ws []words.Word) (keys []string, at []int) {
	for i, w := range ws {
		if w.Break && i > 0 {
			keys, at = append(keys, stop), append(at, w.Start)
		}
		keys, at = append(keys, w.Key), append(at, w.Start)
	}
	return keys, at
}

// words adds the atoms of a message, and their twins.
func (h *heard) words(s *speech.Speech) {
	keys, at := sequence(s.Atoms)
	forbidden := make([]bool, len(keys))
	j := 0
	for i := range keys {
		forbidden[i] = s.Forbidden[j]
		if keys[i] != stop {
			j++
		}
	}
	h.add(keys, at, forbidden)
	twins := make([]string, len(keys))
	for i, k := range keys {
		twins[i] = words.Twin(k)
	}
	from, _ := h.twins.Add(twins, at)
	for len(h.plain) < from {
		h.plain = append(h.plain, stop)
	}
	h.plain = append(h.plain, keys...)
}

func (h *heard) add(keys []string, offsets []int, forbidden []bool) {
	from, to := h.atoms.Add(keys, offsets)
	for len(h.forbidden) < from {
		h.forbidden, h.message = append(h.forbidden, false), append(h.message, 0)
	}
	for i := from; i < to; i++ {
		h.forbidden = append(h.forbidden, forbidden[i-from])
		h.message = append(h.message, int32(len(h.texts)-1))
	}
}

// standing says how a value stands in the user's words.
type standing struct {
	said   bool
	wanted bool // not in a prohibition alone
	sure   bool // false if there was too much to look at
	where  Where
}

// stands looks for a whole value in the user's words.
func (h *heard) stands(v *value) standing {
	st := standing{sure: true}
	for _, keys := range v.runs() {
		all := h.atoms.Find(keys, func(pos int) bool {
			if v.exact && !h.exact(v, pos) {
				return true
			}
			st.said = true
			st.wanted = st.wanted || !h.forbidden[pos]
			if st.where.Kind == 0 || st.wanted {
				u := h.texts[h.message[pos]]
				st.where = Where{Ref: u.ref, Kind: User, Text: words.Around(u.text, h.atoms.Offset(pos))}
			}
			return !st.wanted
		})
		st.sure = st.sure && all || st.wanted
	}
	return st
}

// exact reports whether a value stands at a position letter by letter, but for white space.
func (h *heard) exact(v *value, pos int) bool {
	text := h.texts[h.message[pos]].text[h.atoms.Offset(pos):]
	want := strings.Fields(v.text)
	for i, w := range want {
		text = strings.TrimLeft(text, " \t\r\n")
		rest, ok := strings.CutPrefix(text, w)
		if !ok && i == 0 {
			rest, ok = strings.CutPrefix(text, strings.TrimLeft(w, "'\"([{<$"))
		}
		if !ok {
			return false
		}
		text = rest
	}
	return true
}

// twin reports whether a value that the user did not say looks like one that the user
// said: other letters of the same shape.
func (h *heard) twin(v *value) bool {
	if len(v.atoms) == 0 {
		return false
	}
	keys := make([]string, len(v.atoms))
	for i, a := range v.atoms {
		keys[i] = words.Twin(a)
	}
	found := false
	sure := h.twins.Find(keys, func(pos int) bool {
		for i, a := range v.atoms {
			found = found || !strings.EqualFold(a, h.plain[pos+i])
		}
		return !found
	})
	return found || !sure
}
