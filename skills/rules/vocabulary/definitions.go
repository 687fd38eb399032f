package vocabulary

// Definitions are the forms that a rule file is made of.
func Definitions() []Form {
	return []Form{
		{"defaults", "", "What happens to an undeclared tool that no clause allows.", []Key{
			{"unknown-tool", "`:ask` (also without `defaults`) or `:deny`; never `:allow`", []string{":ask", ":deny"}},
		}},
		deftool(),
		{"deflist", "NAME ITEM...", "Strings (or keywords) and numbers under a name, for conditions.", nil},
		{"defcondition", "NAME (ARGUMENT...) CONDITION",
			"A condition under a name, for other conditions. A text for people may stand before the condition.", nil},
		{"defskill", "NAME", "Clauses and prompts that belong together.", []Key{
			{Name: "doc", Doc: "a text for people"},
			{Name: "priority", Doc: "an integer, 0 by default: the skill with the highest is asked first, ties by name"},
			{Name: "trigger", Doc: "a condition on the actions that the skill is about; without it, all"},
			{Name: "gate", Doc: "its clauses, in the order in which they are asked"},
			{"mandatory", "`t` if the engine must not start without this skill", []string{"t", "nil"}},
			{Name: "prompt", Doc: "the system prompt for models, from the first skill that has one"},
			{Name: "augment", Doc: "a text that is added to the prompt where the skill applies"},
		}},
		{"definvariant", "NAME", "A condition that every allowed or approved action meets, whatever the clauses say.", []Key{
			{Name: "doc", Doc: "a text for people"},
			{Name: "when", Doc: "a condition on the actions that it is about; without it, all"},
			{Name: "holds", Doc: "the condition that must hold"},
			{Name: "reason", Doc: "what the model and people are told if it does not"},
			hint(),
		}},
		{"defmodels", "NAME", "Which model providers are asked, and in which order.", []Key{
			{Name: "doc", Doc: "a text for people"},
			{Name: "when", Doc: "a condition that does not read the action; without it, always"},
			{Name: "use", Doc: "names of providers, in the order in which they are asked: `(\"small\" \"large\")`"},
			{Name: "priority", Doc: "an integer, 0 by default: the highest is tried first, ties as they are written"},
		}},
		defexample(),
		{"include", "\"FILE\"", "The definitions of another file: relative to this one, inside the folder, each file " +
			"once, no cycles.", nil},
		{"lexicon", "\"FILE\"...", "The words by which `fit`, `origin` and their like read texts, in place of the English " +
			"that is built in; `:english` stands for that. Paths are as in `include`.", nil},
	}
}

func deftool() Form {
	return Form{"deftool", "NAME",
		"A tool: its arguments, what it does to the world, and what happens to a call that no clause decides.", []Key{
			{Name: "doc", Doc: "a text for models and people"},
			{Name: "params", Doc: "the arguments, each with its kind: `(:cmd command :timeout (integer 1 300))`"},
			{Name: "required", Doc: "the arguments that must be given: `(:cmd)`"},
			{"tier", "what happens to a call that no clause decides: `:allow`, `:ask` (the default) or `:deny`",
				[]string{":allow", ":ask", ":deny"}},
			{"effect", "what a call changes: `:none`, `:local` or `:external` (the default)",
				[]string{":none", ":local", ":external"}},
			{"idempotent", "`t` if the same call, made again, changes nothing more", []string{"t", "nil"}},
			{"output", "`:trusted`, `:mixed` or `:untrusted` (the default), or one for each field: " +
				"`(:from :trusted :body :untrusted)`", []string{":trusted", ":untrusted", ":mixed"}},
			{Name: "spends", Doc: "what a call takes from budgets, an argument or a fixed amount: `(:money :amount :calls 1)`"},
			{Name: "secret", Doc: "arguments that hold secrets, such as `(:key)`; nothing hides their text yet"},
			{"class", "what kind of tool it is, one or more of: `:comm :pay :book :create :update :delete :grant :run`",
				[]string{":comm", ":pay", ":book", ":create", ":update", ":delete", ":grant", ":run"}},
			{Name: "nouns", Doc: "what its calls are about: `(\"mail\")`"},
			{Name: "roles", Doc: "what each argument steers: `(:to :principal :body :content)`"},
		}}
}

func defexample() Form {
	return Form{"defexample",
		"\"WHAT IT SHOWS\"", "A test, judged whenever the rules are loaded, against its own file and the " +
			"files that it includes. One that fails stops the load.", []Key{
			{Name: "action", Doc: "a proposal: `(:tool \"shell\" :args (:cmd \"ls\"))`"},
			{Name: "expect",
				Doc: "`(allow)`, `(ask)` or `(deny)`, with the key of a reason if it matters: `(deny skill/clause)`"},
			{Name: "args", Doc: "the arguments after all rewrites"},
			{Name: "reason", Doc: "the text of the reason"},
			{Name: "hint", Doc: "the [hint](#hints) of a denial, `(:at (\"n\") :set 10)`, or `nil` for none"},
			{Name: "passed", Doc: "clauses that were asked and had nothing to say: `(skill/other)`"},
			{Name: "session", Doc: "who asks, and what happened before: [a plist](#parts-of-an-example)"},
			{Name: "facts", Doc: "what the rules may look up: [a plist](#parts-of-an-example)"},
			{Name: "signal", Doc: "what the action answers: [a plist](#parts-of-an-example)"},
			{Name: "now", Doc: "the time, in Unix seconds; 1700000000 by default"},
			{Name: "links", Doc: "where symbolic links lead: `((\"/w/notes.txt\" \"/etc/passwd\"))`"},
			{Name: "plugins", Doc: "what plugins answer: [plists](#parts-of-an-example)"},
		}}
}
