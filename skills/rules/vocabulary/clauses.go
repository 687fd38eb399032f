package vocabulary

// Clauses are the kinds of clause of a gate.
func Clauses() []Form {
	when := Key{Name: "when", Doc: "a condition; without one the clause always applies"}
	reason := Key{Name: "reason", Doc: "what the model and people are told; say what would be right"}
	return []Form{
		{"deny", "NAME", "Denies the action if the condition holds, and if it cannot be judged.",
			[]Key{when, reason, hint()}},
		{"ask", "NAME", "Asks people if the condition holds, and if it cannot be judged.", []Key{when, reason,
			{Name: "approvers", Doc: "the class of people who are asked; `:operator` by default"},
			{Name: "quorum", Doc: "how many of them must say yes, 1 to 100; 1 by default"},
			{"not-user", "`t` if the approval of the person who asks does not count", []string{"t", "nil"}},
		}},
		{"allow", "NAME", "Vouches for the action if the condition holds: the tier of its tool counts no more. " +
			"Does nothing if it cannot be judged.", []Key{when, reason}},
		{"rewrite", "NAME", "Changes the arguments if the condition holds; then all gates are asked again. " +
			"Denies the action if it cannot be judged.", []Key{when, reason,
			{Name: "set", Doc: "the arguments that are set, [literals and forms](#computed-rewrites): `(:timeout 30)`"},
		}},
		{"reject", "NAME", "The older word for `deny`: still read, with a warning.", []Key{when, reason, hint()}},
	}
}

// hint is a key of what denies.
func hint() Key {
	return Key{"hint", "`t` if a denial says with which edit it would be allowed: [hints](#hints)", []string{"t", "nil"}}
}

// Kinds are the kinds of arguments that tools take.
func Kinds() []Word {
	return []Word{
		{"string", "", "Any text."},
		{"boolean", "", "`t` or `false`."},
		{"integer", "LEAST MOST", "A whole number. Without bounds it is a bare word."},
		{"number", "LEAST MOST", "A number. Without bounds it is a bare word."},
		{"any", "", "Any value."},
		{"command", "", "A command line, which `shell` reads."},
		{"path", "", "The path of a file, which `paths` finds."},
		{"host", "", "The name of a host, which `hosts` finds."},
		{"url", "", "A URL, whose host `hosts` finds."},
		{"enum", "\"WORD\"...", "One of these strings."},
		{"list", "KIND", "A list of one kind."},
		{"object", "(:KEY KIND...) :required (:KEY...)", "An object; `:required` may be left out."},
		{"nullable", "KIND", "Of this kind, or null."},
		{"sql", "DIALECT", "A query in this dialect of SQL, which `sql` reads."},
	}
}
