// Package markdown reads and writes notes as Markdown files. It is the only importer of goldmark, which
// says where headings are; the text below a heading stays as the file has it.
//
// A heading that stands by itself begins a note, and none does within a list, a quotation, code or HTML.
// Tags stand in the front matter (tags), behind a heading (## Rent #private), or in a line of nothing
// but tags.
package markdown
