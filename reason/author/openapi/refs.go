package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// whole reports the first reference of a document to what it does not hold: nothing else is
// opened, so what such a reference means stays unknown.
func whole(raw []byte) error {
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return err
	}
	for open := []any{doc}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		switch v := at.(type) {
		case []any:
			open = append(open, v...)
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok && !holds(doc, ref) {
				return fmt.Errorf("it refers to %q, which it does not hold", ref)
			}
			for _, key := range slices.Sorted(maps.Keys(v)) {
				open = append(open, v[key])
			}
		}
	}
	return nil
}

// holds reports whether a reference names a part of the document.
func holds(doc any, ref string) bool {
	path, ok := strings.CutPrefix(ref, "#/")
	for _, step := range strings.Split(path, "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~", "%7B", "{", "%7D", "}").Replace(step)
		switch v := doc.(type) {
		case map[string]any:
			doc, ok = v[step], ok && v[step] != nil
		case []any:
			n, err := strconv.Atoi(step)
			if ok = ok && err == nil && n >= 0 && n < len(v); ok {
				doc = v[n]
			}
		default:
			ok = false
		}
	}
	return ok || ref == "#"
}
