package provenance

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// late is a result beyond the limit of text: its whole fields alone.
type late struct {
	source int32
	wholes map[digest]*field
}

// drop keeps of a field that it is whole, and the words of its zones.
func (x *Index) drop(to *late, f field, m *zones.Map, clear bool) {
	x.lost.any = true
	x.sources[f.source].dropped = true
	if x.whole(f, clear) && len(f.text) <= 256 {
		short := f
		short.text = strings.Clone(f.text)
		to.wholes[digestOf(words.Normal(f.text))] = &short
	}
	if f.trusted && m.Worst() == zones.Prose {
		return
	}
	if x.lost.all {
		return
	}
	if x.lost.zoneWords == nil {
		x.lost.zoneWords = map[string]zones.Level{}
	}
	for _, w := range words.Loose(f.text) {
		if lv := m.At(w.Start); lv > zones.Prose {
			x.lost.zoneWords[strings.Clone(w.Key)] = max(lv, x.lost.zoneWords[w.Key])
		}
	}
	for _, d := range words.Decode(f.text) {
		inner := zones.Scan(x.lex.words, x.names, d.Text)
		for _, w := range words.Loose(d.Text) {
			if lv := max(m.At(d.Start), inner.At(w.Start)); lv > zones.Prose {
				x.lost.zoneWords[strings.Clone(w.Key)] = max(lv, x.lost.zoneWords[w.Key])
			}
		}
	}
	x.lost.all = x.lost.all || len(x.lost.zoneWords) > x.lim.Digests
}
