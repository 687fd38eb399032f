package notes

import (
	"crypto/sha256"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Digest names a note with all below it: the same notes in the same order have the same digest, and
// another text anywhere below gives another one. "" is the whole tree. The place of the note itself does
// not count.
func (t *Tree) Digest(id ID) Digest {
	object := ""
	if v, ok := t.Now(id); ok {
		object = v.Object
	}
	var b strings.Builder
	b.WriteString("cortex/note/1\n" + string(id) + "\n" + object + "\n")
	for _, k := range t.kids[id] {
		b.WriteString(t.Digest(k).String() + "\n")
	}
	return sexpr.Digest(sha256.Sum256([]byte(b.String())))
}
