package glob

import (
	"path"
	"slices"
	"strings"
)

// Anywhere begins the glob of a relative path whose folder is not known.
const Anywhere = "/**/"

// clean is path.Clean for an absolute path. A path that begins with ~name keeps
// that beginning: .. never climbs out of it into a place we could name.
func clean(p string) string { return path.Clean(p) }

// Places returns the paths that text may name, as globs (see [Word]): from each
// of dirs if it is relative, from anywhere if dirs is empty.
func Places(text string, dirs []string, home string) []string {
	if strings.HasPrefix(text, "~") {
		return []string{TildeGlob(Escape(text), home)}
	}
	return From(Escape(text), strings.HasPrefix(text, "/"), dirs)
}

// From joins a glob to the folders it may start from.
func From(glob string, isAbs bool, dirs []string) []string {
	switch {
	case isAbs:
		return []string{Clean(glob)}
	case len(dirs) == 0:
		// However far it climbs from an unknown folder, it ends with
		// what stands behind the last ..
		for strings.HasPrefix(glob, "../") {
			glob = glob[len("../"):]
		}
		if climbs(glob) {
			return []string{"/**"}
		}
		return []string{strings.TrimSuffix(Anywhere+cleanRel(glob), "/")}
	}
	out := make([]string, 0, len(dirs))
	for _, d := range dirs {
		out = append(out, Clean(Escape(d)+"/"+glob))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TildeGlob resolves ~ and ~/x by home. Without one, and for ~name, the ~ stays.
func TildeGlob(glob, home string) string {
	user, rest, _ := strings.Cut(glob, "/")
	switch {
	case user == "~" && home != "":
		return Clean(Escape(home) + "/" + rest)
	case climbs(rest):
		return "/**" // above an unknown home
	}
	return strings.TrimSuffix(user+Clean("/"+rest), "/")
}

// climbs reports whether a relative path has a .., or a pattern that may match it, that
// leaves where it began.
func climbs(rel string) bool {
	depth := 0
	for _, seg := range strings.Split(rel, "/") {
		switch seg {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			if seg[0] == '.' && hasMeta(seg) && mayBeParent(seg) {
				return true
			}
			depth++
		}
	}
	return false
}

// cleanRel cleans a relative path that does not climb; "" is the folder itself.
func cleanRel(rel string) string {
	return strings.TrimPrefix(clean("/"+rel), "/")
}

// Clean cleans an absolute glob. Where a .. follows a segment that matches
// more than one name, or a segment may itself turn out as .., nothing is known
// of where it leads.
func Clean(glob string) string {
	segs := strings.Split(glob, "/")
	out := make([]string, 0, len(segs))
	for _, seg := range segs {
		switch {
		case seg == "" || seg == ".":
		case seg == "..":
			if len(out) > 0 {
				if hasMeta(out[len(out)-1]) {
					return "/**"
				}
				out = out[:len(out)-1]
			}
		case seg[0] == '.' && hasMeta(seg) && mayBeParent(seg):
			return "/**"
		default:
			out = append(out, seg)
		}
	}
	return "/" + strings.Join(out, "/")
}

func mayBeParent(seg string) bool {
	yes, err := matches(seg, "..")
	return yes || err != nil
}

const metas = `*?[]{}\`

// isMeta tells for each byte whether it is among metas.
var isMeta = func() (is [256]bool) {
	for i := range len(metas) {
		is[metas[i]] = true
	}
	return is
}()

// Escape makes a glob that matches text alone.
func Escape(text string) string {
	if !strings.ContainsAny(text, metas) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/8 + 8)
	from := 0
	for i := range len(text) {
		if isMeta[text[i]] {
			b.WriteString(text[from:i])
			b.WriteByte('\\')
			from = i
		}
	}
	b.WriteString(text[from:])
	return b.String()
}

// Unescape returns the text that a glob matches, if that is one text alone.
func Unescape(glob string) (string, bool) {
	if hasMeta(glob) {
		return "", false
	}
	return Unescaped(glob), true
}

// Unescaped is glob without its backslashes.
func Unescaped(glob string) string {
	if !strings.Contains(glob, `\`) {
		return glob
	}
	var b strings.Builder
	b.Grow(len(glob))
	for {
		i := strings.IndexByte(glob, '\\')
		if i < 0 || i+1 == len(glob) {
			b.WriteString(glob)
			return b.String()
		}
		b.WriteString(glob[:i])
		b.WriteByte(glob[i+1])
		glob = glob[i+2:]
	}
}

// hasMeta reports whether a glob may match more than one text.
func hasMeta(glob string) bool { return Live(glob) >= 0 }

// Folder splits a glob into the folder that it begins with, without a slash at its end, and the rest.
func Folder(glob string) (folder, rest string) {
	live := Live(glob)
	if live < 0 {
		return glob, ""
	}
	at := max(0, strings.LastIndexByte(glob[:live], '/'))
	return glob[:at], glob[at:]
}

// Live returns where the first live metacharacter of glob is, or -1.
func Live(glob string) int {
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			i++
		case '*', '?', '[', '{':
			return i
		}
	}
	return -1
}
