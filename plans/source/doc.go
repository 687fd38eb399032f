// Package source reads workflows as people write them.
//
// There are two spellings: a plist, and the JSON of the workflow format that others use. Both
// are read into values with their places (package sexpr), and one decoder fills [Workflow] from
// them, directed by the tags of its fields. So there is one structure, and one list of what is
// allowed. A member is named by its JSON name; a plist spells it as a keyword in kebab case.
//
// Reading goes on behind a mistake: [Read] returns everything that is wrong with a text, each
// with its line and column, and with the nearest valid name where one is misspelt.
package source
