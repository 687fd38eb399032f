// Package skills is the vocabulary in which actions are judged.
//
// An [Action] is what a model wants done, in the one canonical form that gates,
// people and actuators share. A [Gate] looks at a [Case], which is an action
// and the [Facts] around it, and answers with a [Verdict]; it never touches the
// world. A [Skill] is an authored unit of gates with a priority. A [Policy] is
// all skills together, named by a hash. How verdicts become a decision is the
// business of package reason; the language in which most skills are written is
// package skills/rules.
package skills
