package shelljudge

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// node is one construct of the plain language, as the generator writes it.
type node struct {
	name string
	make func(g *gen) string
}

// places are the nodes that fit each place, made once.
type places struct {
	commands, inner, stages, operands, separators []node
	word, wordTicks, target, quoted, braced       []node
	tilde, body, prefix                           []node
	redirects, redirectsTicks                     []node

	deep    map[string]int  // how deep those that hold lists may stand
	indexed map[string]bool // $x[1] is one part in zsh, and not read
}

func newPlaces() *places {
	globbed := func(n node) bool { return n.name == "star" || n.name == "question" || n.name == "set" }
	p := &places{
		commands: commands(), stages: stages(), operands: operands(), separators: separators(),
		inner: slices.DeleteFunc(commands(), func(n node) bool { return n.name == "comment" }),
		word:  wordParts(false), wordTicks: wordParts(true), target: slices.DeleteFunc(wordParts(false), globbed),
		quoted: quotedParts(), braced: bracedParts(), body: bodyParts(),
		tilde:     []node{one("tilde", "~", "~/x", "~/")},
		prefix:    []node{{"prefix", func(g *gen) string { return g.assign() }}},
		redirects: redirections(false), redirectsTicks: redirections(true),
		deep:    map[string]int{},
		indexed: map[string]bool{"variable": true, "argument": true, "arguments": true, "status": true, "process": true},
	}
	for _, place := range [][]node{
		p.commands, p.operands, p.word, p.quoted, p.braced, p.tilde, p.body, p.separators, p.redirects, p.prefix,
	} {
		for _, n := range place {
			p.deep[n.name] = 100
		}
	}
	for _, name := range strings.Fields("subshell group if else elif for while until not and or pipe") {
		p.deep[name] = 5
	}
	p.deep["substitution"], p.deep["backquotes"] = 7, 7
	return p
}

// gen writes one line. What it wrote is counted once the line is known to be
// readable.
type gen struct {
	*rand.Rand
	t       *places
	depth   int
	inside  string   // the construct around
	after   string   // the construct before, in the same place
	tidy    bool     // short words, few commands: so that deep lines are readable too
	within  int      // substitutions around, in which no comment stands
	pending []string // bodies of here-documents that begin with the next newline
	ticks   bool     // inside `..`, where no quote, backslash or ` stands
	nodes   map[string]bool
	pairs   map[[2]string]bool
	hostile string // the family whose fragments stand in the line, or ""
	frags   []string
}

// The separator in a pair says which of the two it is.
const (
	inPair    = "in "
	afterPair = "after "
)

func (g *gen) pick(s ...string) string { return s[g.IntN(len(s))] }

// fill writes one of the constructs that fit a place.
func (g *gen) fill(place []node) string {
	n := place[g.IntN(len(place))]
	for g.depth >= g.t.deep[n.name] || n.name == "set" && g.t.indexed[g.after] {
		n = place[g.IntN(len(place))]
	}
	g.nodes[n.name] = true
	if g.inside != "" {
		g.pairs[[2]string{n.name, inPair + g.inside}] = true
	}
	if g.after != "" {
		g.pairs[[2]string{n.name, afterPair + g.after}] = true
	}
	inside := g.inside
	g.inside, g.after = n.name, ""
	g.depth++
	text := n.make(g)
	g.depth--
	g.inside, g.after = inside, n.name
	return text
}

// fresh writes something in a place of its own, in which nothing stands before.
func (g *gen) fresh(f func() string) string {
	after := g.after
	g.after = ""
	text := f()
	g.after = after
	return text
}

// flush returns the bodies that wait for a newline.
func (g *gen) flush() string {
	if len(g.pending) == 0 {
		return ""
	}
	text := "\n" + strings.Join(g.pending, "\n") + "\n"
	g.pending = nil
	return text
}

// list writes commands one after the other, and all the bodies that belong to them.
func (g *gen) list() string {
	return g.fresh(func() string {
		var b strings.Builder
		for i, n := 0, 1+g.IntN(g.most(3)); i < n; i++ {
			place := g.t.commands
			if g.within > 0 {
				place = g.t.inner
			}
			text := g.fill(place)
			b.WriteString(text)
			comment := g.after == "comment"
			if i == n-1 && !comment {
				break
			}
			sep := g.fill(g.t.separators)
			if comment || len(g.pending) > 0 && g.IntN(2) == 0 {
				sep = "\n"
			}
			if sep == "\n" && len(g.pending) > 0 {
				sep = g.flush()
			}
			b.WriteString(sep)
		}
		b.WriteString(g.flush())
		return b.String()
	})
}

// closed is a list that another word may follow: it ends in a ; or a newline.
func (g *gen) closed() string {
	text := g.list()
	if strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "&") || strings.HasSuffix(text, "& ") {
		return text
	}
	return text + g.pick("; ", "\n")
}

// apart writes a list in a substitution, whose here-documents end with it.
func (g *gen) apart() string {
	pending := g.pending
	g.pending = nil
	g.within++
	text := g.list()
	g.within--
	g.pending = pending
	return text
}

// word writes a word for a use: "operand", "target", "value", "item".
func (g *gen) word(use string) string {
	if g.hostile != "" && len(g.frags) > 0 && g.IntN(4) == 0 && !g.ticks {
		return g.fragment()
	}
	inside := g.inside
	g.inside = use
	g.nodes[use] = true
	text := g.fresh(func() string {
		if use != "value" && use != "target" && g.IntN(8) == 0 {
			return g.parts(g.t.braced, 3)
		}
		switch {
		case g.IntN(10) == 0:
			return g.fill(g.t.tilde)
		case use == "target" && !g.ticks:
			return g.parts(g.t.target, 3)
		case g.ticks && use == "target":
			return g.pick("a", "a.txt", "x")
		case g.ticks:
			return g.parts(g.t.wordTicks, 3)
		}
		return g.parts(g.t.word, 3)
	})
	g.inside = inside
	return text
}

func (g *gen) parts(place []node, most int) string {
	var b strings.Builder
	for range 1 + g.IntN(g.most(most)) {
		b.WriteString(g.fill(place))
	}
	return b.String()
}

// most is how many of something there are at most.
func (g *gen) most(n int) int {
	if g.tidy {
		return min(n, 2)
	}
	return n
}

func (g *gen) fragment() string {
	f := g.frags[g.IntN(len(g.frags))]
	return g.expand(f)
}

// expand replaces the holes of a template: %c a command to be noticed, %v a
// variable, %w a word, %f a file, %l a letter or digit.
func (g *gen) expand(f string) string {
	var b strings.Builder
	for i := 0; i < len(f); i++ {
		if f[i] != '%' || i+1 == len(f) {
			b.WriteByte(f[i])
			continue
		}
		i++
		switch f[i] {
		case 'c':
			b.WriteString(g.pick("touch P", "rm x", "ls", "cat /etc/shadow", "evil", "touch /protected/x"))
		case 'v':
			b.WriteString(g.pick("x", "HOME", "PWD", "UNK", "a", "PATH", "SECRET", "ARR", "SUB"))
		case 'w':
			b.WriteString(g.pick("a", "b", "x", "1", "", "a.txt", "~", "*"))
		case 'f':
			b.WriteString(g.pick("a.txt", "sub/c.txt", "/etc/shadow", "../etc/shadow", "P"))
		case 'l':
			b.WriteString(g.pick("a", "b", "x", "1", "0"))
		default:
			b.WriteByte('%')
			b.WriteByte(f[i])
		}
	}
	return b.String()
}
