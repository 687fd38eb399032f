// Package sexpr reads and prints the one notation that Cortex uses everywhere:
// property lists, in files, on the wire, in the journal and in what models
// write.
//
//	(:type :request :target :tool
//	 :payload (:tool "shell" :args (:cmd "git status")))
//
// A [Value] is one datum: keyword, symbol, string, integer, float or list.
// [Reader] turns text into values and never evaluates, interns, recurses
// without a bound, or allocates by a length that the text names; what is wrong
// comes back as an [Error] with its place. [Print] turns a value into text that
// reads back as the same value. [Canonical] goes further: it is a pure function
// of what the value means, one line with the keys of every plist sorted, and
// [DigestOf] is its SHA-256. [FromJSON] and [ToJSON] are the bridge to tools
// that speak JSON. [Reader.ReadReply] is the only tolerant way in: it finds the
// proposal in the reply of a model, or says that there is none.
//
// The grammar stands on participle, with a lexer of our own that delivers one
// whole top-level form as one token; so limits are enforced before anything is
// built, and nothing here recurses over the input.
package sexpr
