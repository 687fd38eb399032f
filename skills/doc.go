// Package skills defines the types for judging actions.
//
// An [Action] is a proposed tool call, in the one canonical form that gates, people
// and actuators share. A [Gate] judges a [Case], which is an action and the [Facts]
// around it, and answers with a [Verdict]; it has no side effects. A [Skill] is an
// authored unit of gates with a priority. A [Policy] is all skills together, named
// by a hash. Package reason combines verdicts into a decision; package skills/rules
// implements the language in which most skills are written.
package skills
