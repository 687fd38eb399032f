// Package zones finds where a text begins to tell its reader to act, and where it
// speaks to an agent about its task.
//
// A text is cut into segments. A segment that begins with an imperative, or that says
// "please", "you must", "has to be" and a verb, is a directive; from the first one on,
// the text is a zone. Where it also speaks about an agent's task, instructions or
// tools, it is alien from there on. Both reach to the text's end, because an attacker
// could end them otherwise.
package zones
