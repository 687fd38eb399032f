// Package fields takes a result apart by its own shape: JSON, Python's printed values,
// YAML, CSV, Markdown tables, one item a line. What has no shape is one field.
//
// The readers are lenient where libraries are strict: results are cut off, quoted in
// two ways at once or indented by hand, and a reader that gives up on them would take
// every value in them for prose. They keep a stack of their own, never fail, and are
// linear in the text.
package fields
