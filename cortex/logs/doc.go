// Package logs keeps logs on the record: lists of events that one program enters and folds,
// such as the runs of plans. What an event means is the program's; the record keeps order,
// integrity and what events rest on.
//
// A log is named, and its events are numbered from 0 without gaps. [Logs.Append] enters the
// events of one operation as one record, all or none. Each event has a dedupe key: an
// operation whose events are all known is answered from the record and writes nothing; one
// of which a part is known is refused.
//
// Content that events rest on, such as a compiled plan or a snapshot, is kept once, by its
// SHA-256, and pinned by each log that needs it. Retention removes a log whole or not at
// all, and content when the last log that pins it goes.
//
// [Logs.Read] checks what it reads: the digest of the lines of each record, the numbers, the
// pins. A log that does not pass has a [Health] that says why, and the events before that.
package logs
