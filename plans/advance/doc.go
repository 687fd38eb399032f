// Package advance moves a run through its plan. It is pure: no clock, no file, no store.
//
// [Next] says which step is due. It asks for the first authored step that is not completed and
// whose condition holds, goes into loops and out of them, and writes down why in a trace.
// Whatever it cannot judge is a [state.Reason] to block, never a step that is skipped.
//
// [Check] says why an output does not pass, and [Decide] what that means in a mode: a table.
package advance
