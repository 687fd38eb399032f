// Package llm makes model providers out of settings: an OpenAI-compatible chat
// endpoint, Anthropic's messages API, a program on standard input and output,
// and a script of replies.
//
// A model's server is not trusted. What it sends is bounded, strict JSON of the
// right shape or an error; it is never followed to another address; a tool call
// that came in incomplete is malformed and never run. What a model may do is not
// decided here: a provider only brings proposals, which the gates judge.
//
// Keys come from the environment or from a file, never from the configuration.
// They are held where no printing reaches them, leave in one request header, and
// are taken out of every error.
package llm
