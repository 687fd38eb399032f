// Package org reads and writes notes as Org files. It is the only importer of go-org, which reads
// headings and property drawers; the text below a heading stays as the file has it.
//
// A line that begins with stars and a space is a heading, wherever it stands, as in Org itself. Files
// that the text names (SETUPFILE, INCLUDE) are not read.
package org
