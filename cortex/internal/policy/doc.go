// Package policy compiles the rules, keeps them on record, and holds the policy in force: the
// rulebook, the gates of plugins and those written in Go, and the protected places. From the
// record it compiles any earlier policy again, for a replay.
package policy
