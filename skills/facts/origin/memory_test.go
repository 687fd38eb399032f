package origin

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// What an index says it takes is about what the heap says.
func TestBytesAreAboutWhatTheHeapSays(t *testing.T) {
	heap := func() int {
		for range 3 { // what a pool holds lives for two
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	w := new(Words)
	w.Know(nil, []*skills.Tool{{Name: "read_file", Effect: skills.EffectNone}})
	by := w.reader("")
	before := heap()
	r := by.Blank(new(skills.Session))
	for i := range 30 {
		var b strings.Builder
		for k := range 300 {
			fmt.Fprintf(&b, "Letter %d of shelf %d was written by clerk%d@example.org on a rainy day. ", k, i, k*i)
		}
		r.Enter(skills.Entry{Turn: skills.Turn{Call: &skills.Call{Tool: "read_file", Happened: true, Decision: "allow",
			Result: sexpr.Str(b.String())}}})
	}
	took := heap() - before
	t.Logf("%d bytes of heap, %d said", took, r.Bytes())
	assert.Less(t, took, 2*r.Bytes())
	assert.Less(t, r.Bytes(), 3*took)
	runtime.KeepAlive(r)
}
