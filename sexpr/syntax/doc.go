// Package syntax reads a text into a tree that leaves nothing out: comments, the spelling
// of every name, and where everything stands. Formatters and editors work on it, while
// programs that want values use package sexpr.
//
// Reading never fails. What is wrong in a text becomes a [Bad] node, a list without its
// end is [Node.Open], and the definitions behind it are still found. Whether a text is
// right is for [sexpr.Reader] to say: both stand on the same tokens, see
// [sexpr.NextToken].
package syntax
