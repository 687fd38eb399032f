package fields

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Of takes a result apart that is a tree of map[string]any, []any and scalars, or text.
// A list of content blocks, as tools of the Model Context Protocol give it, is read by
// its texts; a block of another kind is opaque.
func Of(v any) Result {
	if s, ok := v.(string); ok {
		return Split(s)
	}
	if blocks, ok := content(v); ok {
		return ofBlocks(blocks)
	}
	b := &builder{}
	b.tree(v, "", 0, 0, true)
	return b.Result
}

// content returns the blocks of a result in the Model Context Protocol.
func content(v any) ([]any, bool) {
	if m, ok := v.(map[string]any); ok {
		blocks, ok := m["content"].([]any)
		return blocks, ok && typed(blocks)
	}
	blocks, ok := v.([]any)
	return blocks, ok && typed(blocks)
}

func typed(blocks []any) bool {
	for _, x := range blocks {
		m, ok := x.(map[string]any)
		if kind, _ := m["type"].(string); !ok || kind == "" || len(m) < 2 {
			return false
		}
		switch m["type"] {
		case "text", "image", "audio", "resource", "resource_link", "document", "image_url":
		default:
			return false
		}
	}
	return len(blocks) > 0
}

func ofBlocks(blocks []any) Result {
	var all Result
	last, nested := 0, map[int32]bool{}
	for _, x := range blocks {
		m := x.(map[string]any)
		text, ok := m["text"].(string)
		if res, is := m["resource"].(map[string]any); is {
			text, ok = res["text"].(string)
		}
		if !ok {
			all.Opaque = true
			continue
		}
		one, shift := Split(text), last
		for _, f := range one.Fields {
			if f.Record > 0 || len(blocks) > 1 {
				f.Record += shift + 1
			}
			last = max(last, f.Record)
			if one.Nested[int32(f.Record-shift-1)] {
				nested[int32(f.Record)] = true
			}
			all.Fields = append(all.Fields, f)
		}
		all.Cut, all.Opaque = all.Cut || one.Cut, all.Opaque || one.Opaque
	}
	all.Nested = nested
	return all
}

// tree walks a tree by its keys in order.
func (b *builder) tree(v any, key string, rec, depth int, top bool) {
	if depth > MaxDepth {
		b.Cut = true
		return
	}
	switch v := v.(type) {
	case map[string]any:
		outer := b.under
		b.under = under(outer, key)
		defer func() { b.under = outer }()
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b.add(rec, "", k, Name)
			inner := rec
			if _, nested := v[k].(map[string]any); nested && top {
				inner = b.record()
			}
			b.tree(v[k], k, inner, depth+1, false)
		}
	case []any:
		for _, x := range v {
			inner := rec
			switch x.(type) {
			case map[string]any, []any:
				inner = b.record()
				if key != "" {
					b.nest(inner)
				}
			default:
				if top {
					inner = b.record()
				}
			}
			b.tree(x, key, inner, depth+1, false)
		}
	case nil:
	case []byte:
		b.Opaque = true
	default:
		b.add(rec, key, Scalar(v), Value)
	}
}

// Scalar spells a scalar of a tree: numbers without an exponent.
func Scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int64:
		return strconv.FormatInt(v, 10)
	case int:
		return strconv.Itoa(v)
	case interface{ String() string }: // json.Number
		return strings.TrimSpace(v.String())
	}
	return ""
}

// Texts collects the scalars of a tree by its keys in order.
func Texts(v any, out *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			Texts(v[k], out)
		}
	case []any:
		for _, e := range v {
			Texts(e, out)
		}
	case nil, bool:
	default:
		if s := Scalar(v); s != "" {
			*out = append(*out, s)
		}
	}
}
