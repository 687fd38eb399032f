// Package sexpr reads and prints Cortex's notation: property lists, which it uses in
// files, on the wire, in the journal and in model replies.
//
//	(:type :request :target :tool
//	 :payload (:tool "shell" :args (:cmd "git status")))
//
// A [Value] is one datum: keyword, symbol, string, integer, float or list.
// [Reader] turns text into values. It never evaluates, interns, recurses without a
// bound, or allocates by a length in the text; it returns an [Error] with a place for
// invalid text. [Print] turns a value into text that reads back as the same value.
// [Canonical] goes further: equal meanings have one text, a line with the keys of
// every plist sorted, and [DigestOf] is its SHA-256. [FromJSON] and [ToJSON] convert
// from and to JSON. [Reader.ReadReply] is the only lenient entry point: it finds the
// proposal in a model's reply, or reports that there is none.
//
// The grammar uses participle, with a lexer of our own that delivers one whole
// top-level form as one token. So limits are enforced before anything is built, and
// no code here recurses over the input.
package sexpr
