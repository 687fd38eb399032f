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

//go:embed *.lisp policy/*.lisp coding/*.lisp hosts/*.lisp core/*.lisp code/*.lisp guard/*.lisp guard/examples/*.lisp
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

// Hosts returns the tools of coding agents that Coding does not have: the web, and what agents
// do for themselves. They stand by themselves, and compose with Coding and Guard.
func Hosts() fs.FS { return folder("hosts") }

// Core returns the rule that changes of the protected core, the folders in
// facts.env.core, are justified. It stands by itself.
func Core() fs.FS { return folder("core") }

// Code returns the tools "python" and "javascript", and rules that hold commands back by their
// effects. Both tools ask, so that programs are left to a person wherever no skill vouches for
// them; the skills that judge them are processes.
func Code() fs.FS { return folder("code") }

// Guard returns the rules that ask where values came from and whether the user wanted the
// action; see docs/guard.md. cortex serve loads them unless told otherwise. They stand by
// themselves, fit any tools, and compose with the others. The folder examples in it holds
// their examples, with tools of their own.
func Guard() fs.FS { return folder("guard") }

func folder(name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // the name is a literal, and valid
	}
	return sub
}
