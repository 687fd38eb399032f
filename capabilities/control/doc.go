// Package control asks a control plane over HTTP, by four calls: whether a start is fine by it, which
// capabilities a project shares, whether a version is promoted to this environment, and, the other way, what
// runs came to, in sums. It is an option of [capabilities.Capabilities], off unless somebody sets it.
//
// A plane can only narrow. Its yes leaves the other stages to judge; what it shares comes as registered, and
// a person puts it in force. Each ruling is part of the decision that used it, so that a replay asks no plane.
// What the plane ruled last is kept in a log of the record: while it cannot be reached, or answers what
// cannot be read, the same questions get the same rulings (R35). A question that it has never answered
// refuses a capability of the whole organisation, and leaves one of the project to the rules.
package control
