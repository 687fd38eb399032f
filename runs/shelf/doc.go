// Package shelf enters operations into the logs of runs, reads the logs back, and holds what it
// read: logs folded, plans compiled, and what searches need of each run. It knows what is on record,
// and not what a run does next.
//
// [Append] writes and [Load] reads, both without a memory. A [Shelf] reads each log once and then
// goes along with what is appended. Whatever does not read as it was written is [ErrUnhealthy], and
// nothing goes on from it.
package shelf
