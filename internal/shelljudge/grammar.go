package shelljudge

import "strings"

// This is the closed list of the plain language, as a grammar. Every construct is
// a node; a place is the list of the nodes that fit it.

func separators() []node {
	text := func(s string) func(*gen) string { return func(*gen) string { return s } }
	return []node{{"newline", text("\n")}, {"sequence", text("; ")}, {"background", text(" & ")}}
}

// commands are what stands in a list.
func commands() []node {
	return append(stages(),
		node{"comment", func(g *gen) string { return g.pick("# a", "#", "# it's `x` $(y", "#a\\b") }},
		node{"not", func(g *gen) string { return "! " + g.fill(g.t.stages) }},
		node{"and", func(g *gen) string { return g.both(" && ") }},
		node{"or", func(g *gen) string { return g.both(" || ") }},
		node{"pipe", func(g *gen) string { return g.fill(g.t.stages) + " | " + g.fill(g.t.stages) }},
		node{"assignment", func(g *gen) string { return g.assign() }},
	)
}

func (g *gen) both(op string) string {
	return g.fill(g.t.operands) + op + g.fill(g.t.operands)
}

// operands are what stands beside && and ||; stages are the parts of a pipeline.
func operands() []node {
	return append(stages(),
		node{"not", func(g *gen) string { return "! " + g.fill(g.t.stages) }},
		node{"pipe", func(g *gen) string { return g.fill(g.t.stages) + " | " + g.fill(g.t.stages) }},
		node{"assignment", func(g *gen) string { return g.assign() }},
	)
}

func stages() []node {
	return []node{
		{"simple", func(g *gen) string { return g.simple() }},
		{"simple", func(g *gen) string { return g.simple() }},
		{"subshell", func(g *gen) string { return "( " + g.list() + " )" + g.redirs(6) }},
		{"group", func(g *gen) string { return "{ " + g.closed() + "}" + g.redirs(6) }},
		{"if", func(g *gen) string { return "if " + g.closed() + "then " + g.closed() + "fi" + g.redirs(9) }},
		{"else", func(g *gen) string { return "if " + g.closed() + "then " + g.closed() + "else " + g.closed() + "fi" }},
		{"elif", func(g *gen) string {
			return "if " + g.closed() + "then " + g.closed() + "elif " + g.closed() + "then " + g.closed() + "fi"
		}},
		{"for", func(g *gen) string {
			var b strings.Builder
			b.WriteString("for " + g.pick("f", "i", "x", "name") + " in")
			for range 1 + g.IntN(3) {
				b.WriteString(" " + g.word("item"))
			}
			return b.String() + g.flushOr("; ") + "do " + g.closed() + "done" + g.redirs(9)
		}},
		{"while", func(g *gen) string { return "while " + g.closed() + "do " + g.closed() + "break; done" + g.redirs(9) }},
		{"until", func(g *gen) string { return "until " + g.closed() + "do " + g.closed() + "break; done" }},
	}
}

// flushOr ends a line if bodies wait for that, and writes sep otherwise.
func (g *gen) flushOr(sep string) string {
	if text := g.flush(); text != "" {
		return text
	}
	return sep
}

func (g *gen) simple() string {
	if g.hostile != "" && len(g.frags) > 0 && g.IntN(6) == 0 && !g.ticks {
		return g.pick("ls ", "echo ", "cat ", "") + g.fragment()
	}
	var b strings.Builder
	g.fresh(func() string {
		if g.IntN(7) == 0 {
			b.WriteString(g.fill(g.t.prefix) + " ")
		}
		return ""
	})
	name := g.pick("ls", "cat", "git", "wc", "head", "grep", "sort", "jq", "rg", "echo", "true", "go", "rm", "touch",
		"printf", "'ls'", "\"git\"", "/bin/ls", "npm", "false", "[", "cd", ":", "pwd")
	if !g.tidy && g.IntN(12) == 0 { // often not readable, or run in the shell itself
		name = g.pick("test", "l\\s", "./run.sh", "1/ls", "sh -c", "env", "xargs", "command", "export", "unset", "read",
			"set", "rename", "noglob", "r", "wait", "kill", "umask", "nice", "timeout 1")
	}
	if g.ticks {
		name = g.pick("ls", "cat", "git", "wc", "echo")
	}
	b.WriteString(name)
	for range g.IntN(1 + g.most(3)) {
		if g.IntN(5) == 0 {
			b.WriteString(" " + g.pick("-l", "-n", "-rf", "--", "--all", "-", "-x1", "--x=y", "-e"))
			continue
		}
		b.WriteString(" " + g.word("operand"))
	}
	if name == "[" {
		b.WriteString(" ]")
	}
	b.WriteString(g.redirs(3))
	return b.String()
}

func (g *gen) assign() string {
	name := g.pick("FOO", "x", "A", "b1", "x_y", "CGO_ENABLED", "NAME")
	if g.hostile != "" {
		name = g.pick(name, "PATH", "IFS", "path", "HOME", "PS4", "status", "argv", "ENV", "BASH_ENV", "LD_PRELOAD", "PWD",
			"CDPATH", "cdpath", "LINENO", "RANDOM", "SECONDS", "options")
	}
	if g.IntN(8) == 0 {
		return name + "="
	}
	return name + "=" + g.word("value")
}

// redirs writes some redirections, one time in so many.
func (g *gen) redirs(odds int) string {
	if g.IntN(odds) != 0 {
		return ""
	}
	return g.fresh(func() string {
		var b strings.Builder
		for range 1 + g.IntN(2) {
			place := g.t.redirects
			if g.ticks || len(g.pending) > 0 { // one here-document at a time
				place = g.t.redirectsTicks
			}
			b.WriteString(" " + g.fill(place))
		}
		return b.String()
	})
}

func redirections(ticks bool) []node {
	to := func(name, op string) node {
		return node{name, func(g *gen) string { return op + g.pick("", " ") + g.word("target") }}
	}
	all := []node{
		to("write", ">"), to("read", "<"), to("append", ">>"), to("clobber", ">|"), to("both", "<>"), to("numbered", "2>"),
		to("numbered", "3<"),
		{"duplicate", func(g *gen) string { return g.pick("2>&1", ">&2", "1>&2", "<&3", "0<&0") }},
		{"close", func(g *gen) string { return g.pick("2>&-", ">&-", "<&-", "3<&-") }},
	}
	if ticks {
		return all
	}
	return append(all,
		node{"quoted here-document", func(g *gen) string {
			name := g.pick("E", "EOF", "X1")
			g.pending = append(g.pending,
				g.pick("a\n", "$(touch P)\n", "`touch P`\n", "\\\n", "$x ${y\n", "'\n", "\"\n", "")+name)
			return g.pick("<<", "<< ") + g.pick("'"+name+"'", `"`+name+`"`)
		}},
		node{"here-document", func(g *gen) string {
			name := g.pick("E", "EOF", "X1")
			var b strings.Builder
			for range g.IntN(3) {
				b.WriteString(g.fresh(func() string { return g.parts(g.t.body, 3) }) + "\n")
			}
			g.pending = append(g.pending, b.String()+name)
			return g.pick("<<", "<< ") + name
		}},
	)
}
