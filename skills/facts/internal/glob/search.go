package glob

import (
	"regexp"
	"slices"
	"strings"
)

// Search returns globs of all that a search pattern may match below folders, or anywhere if
// there are none: .env stands for a file in any folder, as src/*.go does. Parts between commas or
// spaces are patterns too, as some searches read them; a part behind ! leaves files out, so it
// matches none.
func Search(pattern string, dirs []string, home string) []string {
	var out []string
	for _, part := range parts(pattern) {
		if part == "" || part[0] == '!' || part == "." {
			continue
		}
		alternatives, err := Alternatives(extended(part))
		if err != nil {
			return []string{"/**"}
		}
		for _, a := range alternatives {
			switch {
			case a == "":
				continue
			case strings.HasPrefix(a, "~"):
				out = append(out, TildeGlob(a, home))
			case strings.HasPrefix(a, "/"):
				out = append(out, searched("", a))
			case len(dirs) == 0:
				out = append(out, searched("/**", a))
			}
			for _, d := range dirs {
				if a[0] != '~' && a[0] != '/' {
					out = append(out, searched(Escape(d), a), searched(Escape(d)+"/**", a))
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// searched is where a pattern leads from a folder. Unlike a shell's, one that may match .. does not.
func searched(dir, pattern string) string {
	dir = strings.TrimSuffix(dir, "/")
	segments := strings.Split(pattern, "/")
	if slices.Contains(segments, "..") {
		return Clean(dir + "/" + pattern)
	}
	return dir + "/" + strings.Join(slices.DeleteFunc(segments, func(s string) bool { return s == "" || s == "." }), "/")
}

// parts splits a pattern at commas and spaces that stand in no braces and brackets.
func parts(pattern string) (out []string) {
	from, depth := 0, 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case ',', ' ', '\t', '\n':
			if depth <= 0 {
				out, from = append(out, pattern[from:i]), i+1
			}
		}
	}
	return append(out, pattern[min(from, len(pattern)):])
}

// group is a group of an extended glob, such as @(a|b), without groups in it.
var group = regexp.MustCompile(`[@?*+!]\(([^()]*)\)`)

// extended makes braces of the groups of an extended glob. What a group may leave out or repeat
// stands there or not; what it forbids is any name.
func extended(pattern string) string {
	for range 8 {
		was := pattern
		pattern = group.ReplaceAllStringFunc(pattern, func(g string) string {
			inner := strings.ReplaceAll(g[2:len(g)-1], "|", ",")
			switch g[0] {
			case '!':
				return "*"
			case '@', '+':
				return "{" + inner + "}"
			}
			return "{" + inner + ",}"
		})
		if pattern == was {
			break
		}
	}
	return strings.ReplaceAll(pattern, "{}", "")
}

// unspelled stands for a name, or a part of one, that no pattern spells out.
const unspelled = '\x00'

// Seeks reports whether a search with one of globs is after what one of the patterns matches. A * is
// any name that is not listed: *.json is after no credentials.json, and * after nothing. But what
// a pattern spells out it is after, however the search does: .e*, *env and [.]env are after .env, and
// *.pem and server.* after *.pem.
func (g *Set) Seeks(globs []Subject, home string, fold bool) bool {
	x := g.exact
	home = Escape(home)
	if fold {
		x, home = g.folded, strings.ToLower(home)
	}
	for i := range globs {
		text := globs[i].Text
		if fold {
			text = strings.ToLower(text)
		}
		rows, err := Compile(text)
		if err != nil {
			return true
		}
		for _, r := range rows {
			if x.sought(r, home) {
				return true
			}
		}
	}
	return false
}

func (x *index) sought(r row, home string) bool {
	for n := range x.rows {
		if y := &x.rows[n]; !x.replaced(y.pattern, home) && seeks(r, y.row) {
			return true
		}
	}
	for _, p := range x.patterns {
		if !p.home || home == "" {
			continue
		}
		rows, err := Compile(home + p.text[1:])
		if err != nil || slices.ContainsFunc(rows, func(y row) bool { return seeks(r, y) }) {
			return true
		}
	}
	return false
}

// seeks reports whether a search is after what a pattern matches.
func seeks(search, pattern row) bool {
	p := newPairs(len(search), len(pattern))
	for {
		i, j, ok := p.next()
		if !ok {
			return false
		}
		if i == len(search) && j == len(pattern) {
			return true
		}
		deepS, deepP := i < len(search) && search[i].deep, j < len(pattern) && pattern[j].deep
		if deepS {
			p.add(i+1, j)
		}
		if deepP {
			p.add(i, j+1)
			if i < len(search) {
				p.add(i+1, j)
			}
		}
		if i < len(search) && j < len(pattern) && !deepS && !deepP && seeksName(&search[i], &pattern[j]) {
			p.add(i+1, j+1)
		}
	}
}

func seeksName(search, pattern *segment) bool {
	switch {
	case search.tokens == nil:
		return meetSegments(search, pattern)
	case search.matches(string(unspelled)), search.matches(string([]rune{unspelled, '.', unspelled})):
		return false // whatever there is
	case pattern.tokens == nil:
		return search.matches(pattern.text)
	}
	return meetTokens(spelled(search.tokens), pattern.tokens)
}

// spelled puts a name that is not listed in the place of each *, but for one in the kind of a
// file: p* in *.p*, and * in server.*.
func spelled(tokens []token) []token {
	out := slices.Clone(tokens)
	dot := false
	for i, t := range tokens {
		switch {
		case t.kind != star:
		case dot && (tokens[i-1].r != '.' || tokens[0].kind == literal):
			continue
		default:
			out[i] = token{kind: literal, r: unspelled}
		}
		dot = dot || t.kind == literal && t.r == '.'
	}
	return out
}

// SeeksRegexp is [Set.Seeks] for a regular expression that a part of a path matches: whether it
// matches a path that one of the patterns does, and not any path.
func (g *Set) SeeksRegexp(r *regexp.Regexp) bool {
	matches := func(name string) bool {
		for _, path := range []string{name, "./" + name, "./" + string(unspelled) + "/" + name} {
			if r.MatchString(path) {
				return true
			}
		}
		return false
	}
	if matches(string(unspelled)) || matches(string([]rune{unspelled, '.', unspelled})) {
		return false
	}
	return slices.ContainsFunc(g.exact.rows, func(y indexedRow) bool { return matches(y.sample()) })
}

// sample is one path that a pattern matches, without the folders that it leaves open.
func (r row) sample() string {
	var names []string
	for _, s := range r {
		switch {
		case s.deep:
			continue
		case s.tokens == nil:
			names = append(names, s.text)
			continue
		}
		var b strings.Builder
		for _, t := range s.tokens {
			switch {
			case t.kind == literal:
				b.WriteRune(t.r)
			case t.kind == oneOf && !t.class.not && len(t.class.ranges) > 0:
				b.WriteRune(t.class.ranges[0][0])
			default:
				b.WriteRune(unspelled)
			}
		}
		names = append(names, b.String())
	}
	return strings.Join(names, "/")
}
