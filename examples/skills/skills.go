// Package skills holds the rules that ship with Cortex, one concern a file, for
// programs that want them without a folder of their own:
//
//	cortex.Open(ctx, cortex.Options{Rules: skills.Files(), Functions: secrets.Functions()})
//
// Each file carries examples for and against, which run whenever it is loaded.
// They are a start: copy them, and make the lists and tiers yours.
package skills

import (
	"embed"
	"io/fs"
)

//go:embed *.lisp policy/*.lisp coding/*.lisp
var files embed.FS

// Files returns the rules: tool permissions, the bouncer (secrets, protected
// paths, destructive commands, egress), the path guard, privacy tags and the
// protocol validator. They need the functions of skills/facts/secrets.
func Files() fs.FS { return files }

// Policy returns the rule that every action must be explained. It stands apart
// for the sake of callers that cannot explain themselves.
func Policy() fs.FS { return folder("policy") }

// Coding returns the rules for a coding agent in a workspace that the operator
// trusts; see docs/coding-agents.md. They stand by themselves.
func Coding() fs.FS { return folder("coding") }

func folder(name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // the name is a literal, and valid
	}
	return sub
}
