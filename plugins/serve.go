package plugins

import "github.com/opencortex-go/cortex/plugins/skill"

// Serve is [skill.Serve]. A program that needs nothing else of this package calls
// that, and links no host.
func Serve(s skill.Skill) { skill.Serve(s) }
