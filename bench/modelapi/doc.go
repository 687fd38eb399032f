// Package modelapi holds the model vendors' own Go clients against what adapters/llm sends
// and what its scripted server answers. It is in this module so that no program links them.
package modelapi
