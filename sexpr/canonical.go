package sexpr

import (
	"crypto/sha256"
	"slices"
	"strings"
)

// Canonical returns the canonical text of v: one line, single spaces, the keys of
// every plist sorted by their bytes. It returns an error where [Print] does, and for
// a plist with an odd number of elements, with a value other than a keyword in a
// keyword's place, or with a repeated key; a plist is any non-empty list that starts
// with a keyword.
func Canonical(v Value) (string, error) {
	dst, err := AppendCanonical(nil, v)
	return string(dst), err
}

// AppendCanonical appends the result of [Canonical] to dst. On an error it returns
// dst unchanged.
func AppendCanonical(dst []byte, v Value) ([]byte, error) { return AppendCanonicalIn(dst, 0, v) }

// AppendCanonicalIn is [AppendCanonical] for a value inside depth lists, which count
// for the limit on nesting.
func AppendCanonicalIn(dst []byte, depth int, v Value) ([]byte, error) {
	p := printer{dst: dst, canonical: true}
	if err := p.value(&v, depth); err != nil {
		return dst, err
	}
	return p.dst, nil
}

// AppendKey appends the canonical text of the keyword of this name to dst. If the
// name is not UTF-8, it returns an error and dst unchanged.
func AppendKey(dst []byte, name string) ([]byte, error) {
	if isBareKey(name) {
		return append(append(dst, ':'), name...), nil
	}
	return AppendCanonical(dst, Key(name))
}

// DigestOf returns the SHA-256 of [Canonical] text, and its errors.
func DigestOf(v Value) (Digest, error) {
	text, err := AppendCanonical(make([]byte, 0, 1024), v)
	if err != nil {
		return Digest{}, err
	}
	return sha256.Sum256(text), nil
}

// Sorted returns v with the keys of every plist in canonical order, at every depth,
// so that [Print] of it is [Canonical] of v. It keeps positions, and shares the parts
// that were already in order. It returns an error where Canonical does.
func Sorted(v Value) (Value, error) {
	s, _, err := sorted(v, 0)
	return s, err
}

// sorted returns v in canonical order and whether that differs from v, which is
// inside depth lists.
func sorted(v Value, depth int) (Value, bool, error) {
	if v.kind != List {
		return v, false, checkAtom(&v)
	}
	if depth == maxDepth {
		return v, false, tooDeep(&v)
	}
	items, changed := v.list, false
	if v.IsPlist() {
		order, err := appendOrder(nil, &v)
		if err != nil {
			return v, false, err
		}
		if len(order) > 0 {
			changed = true
			items = make([]Value, 0, len(v.list))
			for _, at := range order {
				items = append(items, v.list[at], v.list[at+1])
			}
		}
	}
	for i := range items {
		item, differs, err := sorted(items[i], depth+1)
		if err != nil {
			return v, false, err
		}
		if !differs {
			continue
		}
		if !changed {
			changed = true
			items = append([]Value(nil), items...)
		}
		items[i] = item
	}
	v.list = items
	return v, changed, nil
}

// checkAtom returns an error for an atom that cannot be written.
func checkAtom(v *Value) error {
	if v.kind == Float {
		return checkFinite(v)
	}
	return checkUTF8(v)
}

// appendOrder checks that v is a well-formed plist, and appends the indexes of its
// keys in canonical order to order; nothing if they are in order already.
func appendOrder(order []int32, v *Value) ([]int32, error) {
	inOrder, err := checkKeys(v)
	if err != nil || inOrder {
		return order, err
	}
	from := len(order)
	order = slices.Grow(order, len(v.list)/2)
	for i := 0; i < len(v.list); i += 2 {
		order = append(order, int32(i))
	}
	keys := order[from:]
	sortKeys(keys, v)
	for i := 1; i < len(keys); i++ {
		if twice := &v.list[keys[i]]; v.list[keys[i-1]].text == twice.text {
			return order[:from], valueError(twice, "the key "+quoted(twice.text)+" a second time", "each key once")
		}
	}
	return order, nil
}

// checkKeys checks that a plist has a keyword before every value, and reports
// whether the keys rise strictly.
func checkKeys(v *Value) (inOrder bool, err error) {
	if len(v.list)%2 != 0 {
		last := &v.list[len(v.list)-1]
		return false, valueError(last, "a plist of "+count(len(v.list), "element"), "as many keywords as values")
	}
	inOrder = true
	for i := 0; i < len(v.list); i += 2 {
		k := &v.list[i]
		if k.kind != Keyword {
			return false,
				valueError(k, "a "+k.kind.String()+" in the place of a keyword", "a keyword before every value of a plist")
		}
		inOrder = inOrder && (i == 0 || v.list[i-2].text < k.text)
	}
	return inOrder, nil
}

// sortKeys sorts the indexes of keys by name; it is stable. Most plists have few
// keys.
func sortKeys(keys []int32, v *Value) {
	if len(keys) > 12 {
		slices.SortStableFunc(keys, func(a, b int32) int { return strings.Compare(v.list[a].text, v.list[b].text) })
		return
	}
	for i := 1; i < len(keys); i++ {
		at, name := keys[i], v.list[keys[i]].text
		j := i
		for ; j > 0 && name < v.list[keys[j-1]].text; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = at
	}
}
