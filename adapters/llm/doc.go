// Package llm makes model providers out of settings: an OpenAI-compatible chat
// endpoint, Anthropic's messages API, a program on standard input and output,
// and a script of replies.
//
// A model's server is not trusted. Its answers must be bounded, strict JSON of the
// right shape; anything else is an error. Redirects are not followed. An incomplete
// tool call is malformed and never runs. A provider only delivers proposals, which
// the gates judge.
//
// Keys come from the environment or from a file, never from the configuration. They
// are stored so that printing a value does not show them, are sent in one request
// header, and are removed from every error.
package llm
