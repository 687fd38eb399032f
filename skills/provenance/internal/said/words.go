package said

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/runs"
	"github.com/opencortex-go/cortex/skills/provenance/internal/speech"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Words are those of the user: of all messages, or of one sentence.
type Words struct {
	l         *lexicon.Lexicon
	atoms     *runs.Runs
	twins     *runs.Runs // the same with what looks alike folded
	plain     []string   // by position in twins: the atom itself
	Loose     *runs.Runs
	forbidden []bool // by position in atoms: in a prohibition
	message   []int32
	texts     []utterance
	Stems     map[string]bool
	Groups    uint64
	Texts     uint64                   // the kinds of texts that it names, see [lexicon.Lexicon.Texts]
	Shapes    map[words.Shape][]string // the atoms that look like an address, a number ...
	Bytes     int
}

// utterance is one message, or a part of one.
type utterance struct {
	ref  uint64
	text string
}

// NewWords returns words of nothing yet, by the words of l and with the strings of d.
func NewWords(l *lexicon.Lexicon, d *runs.Dict) *Words {
	return &Words{
		l: l, atoms: runs.New(d), twins: runs.New(d), Loose: runs.New(d),
		Stems: map[string]bool{}, Shapes: map[words.Shape][]string{},
	}
}

// Hear adds what one message says in the user's own words.
func (h *Words) Hear(ref uint64, s *speech.Speech) {
	h.texts = append(h.texts, utterance{ref, s.Own})
	h.Bytes += len(s.Own)
	h.words(s)
	for _, d := range words.Days(s.Atoms, h.l.Months) {
		i, ok := slices.BinarySearchFunc(s.Atoms, d.Start, func(a words.Word, at int) int { return a.Start - at })
		h.add([]string{DayKey(d.Date)}, []int{d.Start}, []bool{ok && s.Forbidden[i]})
		h.Shapes[words.Day] = append(h.Shapes[words.Day], d.Date.Key())
	}
	for _, a := range s.Atoms {
		h.Shapes[a.Shape] = append(h.Shapes[a.Shape], a.Key)
	}
	ws := words.Loose(s.Own)
	h.Loose.Add(words.Keys(ws), words.Starts(ws))
	for st := range s.Stems {
		h.Stems[st] = true
		h.Texts |= h.l.Texts(st)
	}
	h.Groups |= s.Groups
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
func (h *Words) words(s *speech.Speech) {
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

func (h *Words) add(keys []string, offsets []int, forbidden []bool) {
	from, to := h.atoms.Add(keys, offsets)
	for len(h.forbidden) < from {
		h.forbidden, h.message = append(h.forbidden, false), append(h.message, 0)
	}
	for i := from; i < to; i++ {
		h.forbidden = append(h.forbidden, forbidden[i-from])
		h.message = append(h.message, int32(len(h.texts)-1))
	}
}

// Standing says how a value stands in the user's words.
type Standing struct {
	Said   bool
	Wanted bool   // not in a prohibition alone
	Sure   bool   // false if there was too much to look at
	Ref    uint64 // of the message
	Text   string // around it; "" if it does not stand there
}

// Stands looks for a whole value in the user's words.
func (h *Words) Stands(v *Value) Standing {
	st := Standing{Sure: true}
	for _, keys := range v.Runs() {
		all := h.atoms.Find(keys, func(pos int) bool {
			if v.Exact && !h.exact(v, pos) {
				return true
			}
			st.Said = true
			st.Wanted = st.Wanted || !h.forbidden[pos]
			if st.Text == "" || st.Wanted {
				u := h.texts[h.message[pos]]
				st.Ref, st.Text = u.ref, words.Around(u.text, h.atoms.Offset(pos))
			}
			return !st.Wanted
		})
		st.Sure = st.Sure && all || st.Wanted
	}
	return st
}

// Says reports whether a text stands in the words, or is an address whose local part does.
// Most texts begin with an atom that the words have not; only days and links have other spellings.
func (h *Words) Says(text string) bool {
	w, _, ok := words.NextAtom(text, 0)
	if !ok {
		return false
	}
	if h.atoms.Knows(w.Key) || w.Key[0] <= '9' || strings.Contains(text, "://") {
		if v := New(h.l, text, lexicon.Object); v.Empty || h.Stands(v).Said {
			return !v.Empty
		}
	}
	text = strings.TrimSpace(text)
	return words.ShapeOf(text) == words.Email && h.Local(text) && !New(h.l, text, lexicon.Object).Empty
}

// exact reports whether a value stands at a position letter by letter, but for white space.
func (h *Words) exact(v *Value, pos int) bool {
	text := h.texts[h.message[pos]].text[h.atoms.Offset(pos):]
	want := strings.Fields(v.Text)
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

// Twin reports whether a value that the user did not say looks like one that the user
// said: other letters of the same shape.
func (h *Words) Twin(v *Value) bool {
	if len(v.Atoms) == 0 {
		return false
	}
	keys := make([]string, len(v.Atoms))
	for i, a := range v.Atoms {
		keys[i] = words.Twin(a)
	}
	found := false
	sure := h.twins.Find(keys, func(pos int) bool {
		for i, a := range v.Atoms {
			found = found || !strings.EqualFold(a, h.plain[pos+i])
		}
		return !found
	})
	return found || !sure
}

// Below leaves out of a path's parts the folder of one that the user said.
func (h *Words) Below(file string, parts []string) []string {
	for _, said := range h.Shapes[words.Path] {
		folder := said[:strings.LastIndex(said, "/")+1]
		within := len(file) >= len(folder) && !strings.Contains(file, "..") &&
			strings.HasPrefix(strings.ToLower(file), strings.ToLower(folder))
		if within && len(folder) > 1 {
			_, rest := words.Apart(file[len(folder):], words.Path, false)
			return rest
		}
	}
	return parts
}

// Local reports whether the user said the local part of an address, as a word or in
// words, and gave no domain with it.
func (h *Words) Local(address string) bool {
	local, _, _ := strings.Cut(address, "@")
	if len(local) < 3 {
		return false
	}
	for _, text := range []string{local, apart.Replace(local)} {
		keys, _ := sequence(words.Atoms(text))
		found := false
		h.atoms.Find(keys, func(pos int) bool { found = !h.forbidden[pos]; return !found })
		if found {
			return true
		}
	}
	return false
}

// apart writes the parts of a name in an address as words.
var apart = strings.NewReplacer(".", " ", "_", " ", "-", " ")

// Base reports whether the user said the base name of a path.
func (h *Words) Base(path string) bool {
	name, ok := words.BaseName(path)
	if !ok {
		return false
	}
	found, _ := h.atoms.Has([]string{words.AtomKey(name)})
	return found
}

// Kin reports whether the user said a word of the family of this one, see [words.Kin].
func (h *Words) Kin(word string) bool {
	bare := h.l.Stem(word)
	for stem := range h.Stems {
		if words.Kin(word, stem) || len(bare) > 4 && words.Kin(bare, stem) {
			return true
		}
	}
	return false
}
