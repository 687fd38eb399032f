// Package llmtest has a model's server for tests and examples: it speaks OpenAI's chat
// completions, OpenAI's responses and Anthropic's messages over HTTP, whole and streamed,
// and answers by a script. It also breaks off, refuses and lies, as real servers do.
//
// The shapes are those of the vendors' own Go clients, which decode every one of them in
// the tests of bench/modelapi.
package llmtest
