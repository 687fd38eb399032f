package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A link that an earlier command of the line makes, moves or copies is judged where it will lead, or asks.
func TestI1_ALinkMadeInTheLineIsWhereItWillLead(t *testing.T) {
	both(t, func(t *testing.T, w hookWorld) {
		w.write("home/src/app/a/b/deep.txt", "x\n")
		for name, to := range map[string]string{"a/b/up": "../../../diary.txt", "a/inner": "../notes.txt",
			"a/out": "../../../.ssh", "a/b/env": "../../.env"} {
			require.NoError(t, os.Symlink(to, name))
		}
		for _, line := range []string{
			"ln -s ../../.ssh k && cat k/authorized_keys", "ln -sf /etc e; cat e/shadow", "ln .env n.txt && cat n.txt",
			"ln -s .env n.txt; cat n.txt", "cp -s ../../diary.txt d && cat d", "cp -as ../../diary.txt d && cat d",
			"cp --symbolic-link .env d; cat d", "cp -l .env d && cat d", "link .env d && cat d",
			"mv a/b/up up && cat up", "mv a/b/up .; cat up", "mv -t . a/b/up && cat up", "mv a/inner ../ && cat notes.txt",
			"mv a/b c && cat c/up", "mv a/b c && cat c/env", "cp -r a z && cat z/out/authorized_keys",
			"cp -a a z && cat z/out/authorized_keys", "cp -rP a z; sort < z/b/env", "cp -d a/b/up up && cat up",
			"cp -r a z && cd z && cat out/authorized_keys", "mv a z && cat z/*/env", "cp -r a z && cp -r z y && cat y/b/env",
			"mv a/inner i && cat i", "mv a z && echo x > z/b/env", "mv a z && (cd z/out && cat authorized_keys)",
		} {
			allowed, said := w.claude(bash(line))
			assert.False(t, allowed, line)
			assert.True(t, asked(said), "%s: %s", line, said)
		}
		for _, line := range []string{
			"mv notes.txt n.txt && cat n.txt", "cp src/main.go src/x.go && wc -l src/x.go", "cp -r src z && cat z/main.go",
			"mv src z && cat z/*.go", "mv a z && cat z/b/deep.txt", "mkdir -p y && cp notes.txt y && cat y/notes.txt",
			"cp -r src z && echo x > z/new.go",
		} {
			allowed, said := w.claude(bash(line))
			assert.True(t, allowed, "%s: %s", line, said)
		}
	})
}
