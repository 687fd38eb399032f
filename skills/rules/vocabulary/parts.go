package vocabulary

// Parts are the plists inside an example. Requests to cortex decide spell session, call,
// attached, facts and signal in the same way; they hold no covers.
func Parts() []Form {
	attached := Key{Name: "attached", Doc: "texts that the user's host pasted into the message"}
	return []Form{
		{"session", "", "The value of `:session`.", []Key{
			{Name: "id", Doc: "its name"},
			{Name: "user", Doc: "the first message of the user"},
			{Name: "system", Doc: "the system prompt"},
			{Name: "principal", Doc: "who asks"},
			{Name: "roles", Doc: "what that person is to the rules: `(\"clerk\")`"},
			{Name: "calls", Doc: "what happened since, oldest first: a list of calls, messages and texts"},
			attached,
			{Name: "covers", Doc: "what people covered: `((:tool \"pay\" :sources (2)))`"},
			{"whole", "`nil` if some results are missing; `t` by default", []string{"t", "nil"}},
		}},
		call(attached),
		{"cover", "", "One of `:covers`: more calls like one that a person approved need no question.", []Key{
			{Name: "tool", Doc: "the tool of the calls"},
			{Name: "sources", Doc: "the places in the session that they may take orders and values from; 1 is the user's " +
				"first message, 2 the first of `:calls`, 0 what stands nowhere"},
			{Name: "left", Doc: "how many more calls it covers; 1 by default"},
			{Name: "until", Doc: "when it ends, in Unix seconds; a minute from `:now` by default"},
			{Name: "principal", Doc: "whose calls; by default that of the session"},
		}},
		{"attached", "", "One of `:attached`.", []Key{
			{Name: "name", Doc: "what it is called"},
			{Name: "text", Doc: "the text"},
		}},
		{"facts", "", "The value of `:facts`. Each key has a plist of facts of your own.", []Key{
			{Name: "ctx", Doc: "what the program that embeds the engine says of the context"},
			{Name: "env", Doc: "the environment: `:cwd`, `:home`, `:path`, `:vars` and what the operator sets"},
			{Name: "work", Doc: "what is being worked on"},
			{Name: "policy", Doc: "what the operator has set for rules"},
		}},
		{"signal", "", "The value of `:signal`.", []Key{
			{Name: "sensor", Doc: "where it was observed"},
			{Name: "source", Doc: "who or what sent it"},
			{Name: "session", Doc: "the conversation that it belongs to"},
			{Name: "text", Doc: "its text"},
			{Name: "from", Doc: "the account that it came from"},
		}},
		{"plugin", "", "One of `:plugins`.", []Key{
			{Name: "name", Doc: "the name of the plugin"},
			{Name: "priority", Doc: "its priority among the skills; 0 by default"},
			{"answer", "`:pass :allow :rewrite :ask` or `:reject`, as plugins spell them",
				[]string{":pass", ":allow", ":rewrite", ":ask", ":reject"}},
			{Name: "clause", Doc: "the second part of its key; `\"main\"` by default"},
			{Name: "set", Doc: "the arguments that a `:rewrite` sets"},
			{Name: "approvers", Doc: "the class of people whom an `:ask` asks"},
			{Name: "quorum", Doc: "how many of them must say yes; 1 by default"},
		}},
	}
}

// call is an earlier call, or what else happened in a session.
func call(attached Key) Form {
	return Form{"call", "", "One of `:calls`: a call with its `:tool`, a message with `:user`, what the agent said with " +
		"`:reply`, or another text that the model read with `:source`.", []Key{
		{Name: "tool", Doc: "the tool that was called"},
		{Name: "args", Doc: "its arguments"},
		{Name: "result", Doc: "what it returned; without it something was left unread"},
		{Name: "error", Doc: "why it failed"},
		{Name: "decision", Doc: "`\"allow\"` (the default), `\"ask\"` or `\"deny\"`"},
		{Name: "at", Doc: "when, in Unix seconds; `:now` by default"},
		{"happened", "whether it may have changed the world; `t` by default", []string{"t", "nil"}},
		{"cut", "`t` if the result was longer than what is here", []string{"t", "nil"}},
		{Name: "user", Doc: "a later message of the user"},
		attached,
		{Name: "reply", Doc: "what the agent said, to which a bare \"yes\" assents"},
		{Name: "source", Doc: "another text that the model read"},
		{Name: "name", Doc: "what that text is called: `\"README.md\"`"},
	}}
}
