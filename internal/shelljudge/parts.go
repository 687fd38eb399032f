package shelljudge

// The parts of words. A part in ticks is one that may stand inside `..`.

func one(name string, texts ...string) node {
	return node{name, func(g *gen) string { return g.pick(texts...) }}
}

func literal() node {
	return one("literal", "a", "b", "x", "a.txt", "src", "sub", "1", "2", "/", "notes", "=", ":", "a=b", "x:y", "@", "%",
		"+", ",", ".", "..", "/etc/shadow", "../x",
		"sub/c.txt", "!", "^", "]", "-", "_", "x1", "P", "/work/a", "a#")
}

func variables() []node {
	return []node{
		one("variable", "$x", "$HOME", "$PWD", "$UNK", "$PATH", "$GLOB", "$a_b"),
		one("braced variable", "${x}", "${HOME}", "${UNK}", "${PWD}"),
		one("status", "$?"), one("process", "$$"), one("arguments", "$@"), one("argument", "$1", "$2"),
	}
}

func substitution() node {
	return node{"substitution", func(g *gen) string { return "$(" + g.apart() + ")" }}
}

func backquoted() node {
	return node{"backquotes", func(g *gen) string {
		g.ticks = true
		text := "`" + g.apart() + "`"
		g.ticks = false
		return text
	}}
}

func globs() []node {
	return []node{one("star", "*", "*.txt", "s*"), one("question", "?", "?.txt"), one("set", "[ab]", "[a-z]", "[0-9]*")}
}

// wordParts are the parts of a word.
func wordParts(ticks bool) []node {
	all := append([]node{literal(), literal(), one("single quotes", "'a b'", "''", "'$(touch P)'", "'*'", "'a'", "'~'")},
		variables()...)
	all = append(all, globs()...)
	if ticks {
		return all
	}
	return append(all, one("escape", `\ `, `\a`, `\$`, `\'`, `\*`, `\\`, `\"`, `\~`), substitution(), backquoted(),
		node{"double quotes", func(g *gen) string {
			return g.fresh(func() string { return `"` + g.parts(g.t.quoted, 3) + `"` })
		}})
}

// quotedParts stand between double quotes.
func quotedParts() []node {
	return append([]node{
		one("quoted literal", "a", "x y", "'", "*", "~", "{a,b}", "a.txt", "/", "=", ":", "#", "!", "[1]", ":h", "(", ";",
			"|", "<", "&", "-"),
		one("quoted escape", `\"`, `\$`, `\\`, "\\`", `\a`), substitution(), backquoted(),
	}, variables()...)
}

// bracedParts are the parts of a word with braces, in which no $ stands.
func bracedParts() []node {
	return append([]node{
		literal(), one("braces", "{a,b}", "{a,b.txt}", "{,x}", "{a,/etc/shadow}"), one("range", "{1..3}", "{a..c}"),
		one("single quotes", "'a b'", "'a'"), one("escape", `\ `, `\a`),
	}, globs()...)
}

// bodyParts stand in a here-document.
func bodyParts() []node {
	return append([]node{one("body text", "a", "x y", "'", `"`, "*", "~", "E ", " E", "EOF2", "(", "<", "#"),
		substitution()}, variables()...)
}
