package vocabulary

// Names are the names that conditions read, besides lists and what let and the arguments
// of a defcondition name.
func Names() []Word {
	return []Word{
		{"action", "", "The action that is judged, for functions such as `paths` and `hosts`."},
		{"action.tool", "", "The tool of the action, a string."},
		{"action.args", "", "The arguments of the action: `action.args.cmd`."},
		{"action.text", "", "Every string in the arguments, in canonical order, joined by newlines."},
		{"action.explanation", "", "What the model says the action is for; it proves nothing."},
		{"signal", "", "What was observed, and led to the action."},
		{"signal.sensor", "", "Where the signal was observed, a string."},
		{"signal.source", "", "Who or what sent the signal, a string."},
		{"signal.session", "", "The conversation that the signal belongs to, a string."},
		{"signal.text", "", "The text of the signal."},
		{"signal.from", "", "The account that the signal came from, a string."},
		{"session", "", "The conversation so far."},
		{"session.principal", "", "The person whom the session belongs to, a string."},
		{"session.roles", "", "What that person is to the rules, a list of strings."},
		{"session.user-text", "", "What the user has written so far, joined by newlines."},
		{"session.calls", "", "The earlier calls, oldest first, each with `tool args decision result`."},
		{"session.whole", "", "Whether the session holds every result that the model saw."},
		{"facts", "", "What the host knows."},
		{"facts.ctx", "", "What the program that embeds the engine says of the context."},
		{"facts.env", "", "The environment: `cwd`, `home`, `workspace`, `vars` and what the operator sets."},
		{"facts.work", "", "What is being worked on: of a run, the variables that no model wrote and the step declares; " +
			"else what the host seeds."},
		{"facts.step", "", "The step of a run that the action is: `plan version step undo`."},
		{"facts.policy", "", "What the operator has set for rules."},
		{"now", "", "The time of the decision, in Unix seconds; it is recorded."},
		{"it", "", "The element that the innermost loop looks at, or the call in an order condition."},
	}
}

// Constants are the words that stand for a value, and cannot name anything else.
func Constants() []Word {
	return []Word{
		{"t", "", "True."},
		{"false", "", "False."},
		{"nil", "", "The empty list, and false."},
		{"null", "", "The value `null` of JSON."},
		{"{}", "", "The empty object."},
	}
}

// Reserved are the first words of keys that others than skills give, so no skill has one
// as its name.
func Reserved() []string {
	return []string{"tier", "default", "invariant", "gate", "schema", "self-protection", "kill-switch", "proposal",
		"rulebook", "rewrite", "in-doubt", "budget", "tool", "stale"}
}
