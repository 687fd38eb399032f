// Package admission bounds what an engine holds at a time. [Caps] says how much; whatever
// is beyond a cap is refused with a [BusyError] before anything of it is on record, and
// nothing that was accepted is dropped. [Waiting] counts the signals that are accepted and not
// answered, [Memory] the bytes that sessions take.
package admission
