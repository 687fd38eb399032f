package work

import (
	"maps"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/sexpr"
)

// InLoop is work as the body of a loop sees it in an iteration, with the sources of what the loop
// adds. An item has the source of its list. Without the loop it is work itself.
func InLoop(work sexpr.Value, sources Sources, loop *plans.Loop, iteration int) (sexpr.Value, Sources) {
	if loop == nil {
		return work, sources
	}
	seen := maps.Clone(sources)
	if seen == nil {
		seen = Sources{}
	}
	set := func(key string, v sexpr.Value, from Source) { work, seen[key] = work.With(key, v), from }
	if loop.Type == plans.LoopForEach {
		if items, ok := work.Get(loop.Items); ok && iteration < items.Len() {
			set(loop.ItemVar, items.Items()[iteration], sources[loop.Items])
		}
		set(loop.IndexVar, sexpr.Int64(int64(iteration)), FromHost)
	}
	set(loop.IterationVar, sexpr.Int64(int64(iteration)+1), FromHost)
	return work, seen
}

// Kind is the JSON kind of a value, for messages.
func Kind(v sexpr.Value) string {
	switch {
	case v.IsSym("null"):
		return "null"
	case v.IsSym("t"), v.IsSym("false"):
		return "a boolean"
	case v.IsObject():
		return "an object"
	}
	switch v.Kind() {
	case sexpr.String:
		return "a string"
	case sexpr.Int, sexpr.Float:
		return "a number"
	case sexpr.List:
		return "an array"
	}
	return "a symbol"
}
