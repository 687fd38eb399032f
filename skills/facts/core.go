package facts

import (
	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

// The static costs of language.md. A function also costs its nodes, which
// package rules adds.
const (
	costTest  = 2    // under? flag? domain-in? cidr-in?
	costFits  = 100  // fits?
	costLeads = 20   // leads redirected
	costScan  = 1000 // shell paths hosts, and what walks the history
)

// The bounds of lists.
const (
	maxPaths = 256
	maxHosts = 64
	maxList  = 256 // every other list
)

// Core returns the functions that every rulebook has, sorted as they are
// documented. The slice is fresh.
func Core() []Function {
	text := Type{Kind: String}
	texts := ListOf(text, maxList)
	core := []Function{
		{
			Name: "shell", Cost: costScan, Call: callShell,
			Doc: "The simple commands a command line really runs, in order, also inside pipes, lists, substitutions and " +
				"the text given to sh -c, find -exec and the like. A line that is not plain is an error.",
			Params: []Param{{Name: "cmd", Type: text}},
			Result: ListOf(commandType(), shell.MaxCommands),
		},
		{
			Name: "flag?", Cost: costTest, Call: callFlag,
			Doc: "Whether a command is given a flag, short (\"r\") or long (\"recursive\"), also bundled (-fr), with a " +
				"value (--name=x), shortened (--recurs), or by its other name where that is known.",
			Params: []Param{{Name: "command", Type: commandType()}, {Name: "flag", Type: text}},
			Result: Type{Kind: Bool},
		},
		{
			Name: "paths", Cost: costScan, Call: callPaths,
			Doc: "Every path in the arguments of an action: in arguments declared path, in the words and redirections of " +
				"commands, and in strings that look like one. Each is absolute and clean, or begins with ~.",
			Params: []Param{{Name: "action", Type: Type{Kind: Action}}},
			Result: ListOf(text, maxPaths),
		},
		{
			Name: "under?", Cost: costTest, Call: callUnder,
			Doc: "Whether a path is a folder or lies below it, after cleaning and resolving ~ and .., without looking at " +
				"the disk: see leads. A relative path is taken from facts.env.cwd. Of a list of folders, one is enough.",
			Params: []Param{{Name: "path", Type: text, Pattern: true}, {Name: "root", Type: Type{Kind: Any}, Check: checkRoot}},
			Result: Type{Kind: Bool},
		},
		{
			Name: "glob-any?", PerItem: 1, Call: callGlobAny,
			Doc: "Whether a path matches one of the patterns: * ? [a-z] {a,b} within a segment, ** for any segments. With " +
				":fold the case of letters is ignored.",
			Params: []Param{
				{Name: "path", Type: text, Pattern: true},
				{Name: "patterns", Type: texts, Literal: true, Check: glob.Check, Prepare: glob.Prepare},
				{Name: "fold", Type: text, Words: []string{"fold"}, Literal: true},
			},
			Optional: 1,
			Result:   Type{Kind: Bool},
		},
		{
			Name: "fits?", Cost: costFits, Call: callFits,
			Doc: "Whether a command is written in one of the forms, word by word, and every FILE in it lies at or below the " +
				"root, or one of them, or matches one of the patterns that may be read besides; and matches none of the " +
				"patterns to avoid. A form is a manual's synopsis: its program, subcommands, " +
				"options and kinds of words; what it does not list does not fit.",
			Params: []Param{
				{Name: "command", Type: commandType()},
				{Name: "forms", Type: texts, Literal: true, Check: checkForms, Prepare: prepareForms},
				{Name: "root", Type: Type{Kind: Any}, Check: checkRoot},
				{Name: "avoid", Type: texts, Literal: true, Check: glob.Check, Prepare: glob.Prepare},
				{Name: "besides", Type: texts, Literal: true, Check: glob.Check, Prepare: glob.Prepare},
			},
			Optional: 2,
			Result:   Type{Kind: Bool},
		},
		{
			Name: "commands", Cost: costScan, Call: callCommands,
			Doc: "As shell, but what else the line may run, which nobody can tell, is left out. For clauses that refuse " +
				"or ask: what allows must ask shell.",
			Params: []Param{{Name: "cmd", Type: text}},
			Result: ListOf(commandType(), shell.MaxCommands),
		},
		{
			Name: "readable?", Cost: costScan, Call: callReadable,
			Doc: "Whether shell and commands can read a command line. For clauses that judge the rest by its words, and " +
				"then refuse or ask: what allows must ask shell.",
			Params: []Param{{Name: "cmd", Type: text}},
			Result: Type{Kind: Bool},
		},
		{
			Name: "hosts", Cost: costScan, Call: callHosts,
			Doc: "Every host an action names: in arguments declared host or url, in URLs, in variables such as " +
				"http_proxy, and in the words of network and package commands. Each is in lower case, without port.",
			Params: []Param{{Name: "action", Type: Type{Kind: Action}}},
			Result: ListOf(text, maxHosts),
		},
		{
			Name: "host", Cost: costTest, Call: callHost,
			Doc: "The host of a URL, in lower case and without user and port. A URL that programs read differently is an " +
				"error.",
			Params: []Param{{Name: "url", Type: text}},
			Result: text,
		},
		{
			Name: "domain-in?", Cost: costTest, Call: callDomainIn,
			Doc: "Whether a host is one of the domains or a name below one: \"example.com\" takes api.example.com and not " +
				"notexample.com or example.com.evil.net.",
			Params: []Param{{Name: "host", Type: text}, {Name: "domains", Type: texts, Check: checkDomains}},
			Result: Type{Kind: Bool},
		},
		{
			Name: "cidr-in?", Cost: costTest, Call: callCIDRIn,
			Doc: "Whether an IP address lies in one of the ranges, such as \"10.0.0.0/8\" or \"::1\". What is not an address " +
				"in its usual spelling is an error.",
			Params: []Param{{Name: "ip", Type: text}, {Name: "ranges", Type: texts, Check: checkCIDRs}},
			Result: Type{Kind: Bool},
		},
		{
			Name: "calls", Cost: costScan, Call: callCalls,
			Doc:    "The earlier calls of a tool in this session, oldest first, whatever was decided about them.",
			Params: []Param{{Name: "tool", Type: text, Names: ATool}},
			Result: ListOf(CallType(), maxList),
		},
		{
			Name: "calls-since", Cost: costScan, Call: callCallsSince,
			Doc: "The earlier calls of a tool in this session in the last so many seconds, " +
				"by the recorded now, oldest first.",
			Params: []Param{{Name: "tool", Type: text, Names: ATool}, {Name: "seconds", Type: Type{Kind: Int}}},
			Result: ListOf(CallType(), maxList),
		},
		{
			Name: "spent", Cost: costScan, Call: callSpent,
			Doc: "What has been taken from a budget: in this :hour or :day (UTC) by the principal in all sessions, or in " +
				"this :session.",
			Params: []Param{{Name: "budget", Type: text, Names: ABudget},
				{Name: "period", Type: text, Words: []string{"hour", "day", "session"}, Literal: true}},
			Result: Type{Kind: Number},
		},
	}
	core = append(core, placeFunctions()...)
	return append(append(core, replaceFunction(), versionFunction()), clockFunctions()...)
}
