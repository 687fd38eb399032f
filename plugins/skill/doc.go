// Package skill is what a skill written in Go imports: fill in a [Skill], and have
// [Serve] answer the host that starts the process. A skill answers with the same
// verdicts as a gate in a rule file.
//
// It speaks cortex.skill.v1, which plugins/proto explains, and links no host: that
// is package plugins. docs/plugins.md has a skill in ten lines.
package skill
