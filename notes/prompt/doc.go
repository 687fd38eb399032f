// Package prompt is the part of a model's prompt that is notes: the note that the session looks at,
// whole, and those around it by title. What is private, by a tag of its own or of a note above it, is in
// no prompt, not even by title. What notes say is quoted: it is data to the model.
package prompt
