package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	shipped "github.com/opencortex-go/cortex/examples/skills"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
)

// The guard is the rulebook that this program brings, and loads unless told otherwise. Its
// files are embedded under this folder, which is how reasons and errors name them.
const guardFolder = "guard"

// guardFiles are the rule files of the guard, in order.
func guardFiles() []string {
	names, err := fs.Glob(shipped.Files(), guardFolder+"/*.lisp")
	if err != nil || len(names) == 0 {
		panic("the guard is not in the program") // the pattern is a literal, and what it matches is embedded
	}
	return names
}

// guarded reports whether the guard is loaded beside the rules of the configuration.
func (c *Config) guarded() bool { return !c.NoGuard && (c.Guard == nil || *c.Guard) }

// guardRoots is the guard, where it is on. It only adds to the rules of the configuration:
// without any of those everything is denied, as it is without the guard.
func (c *Config) guardRoots() []rules.Root {
	if !c.guarded() {
		return nil
	}
	return []rules.Root{{FS: shipped.Files(), Files: guardFiles(), OnTop: true}}
}

// GuardState says whether the guard is on, and which one, or why it is off.
func (c *Config) GuardState() string {
	switch {
	case c.NoGuard:
		return "off: --no-guard"
	case !c.guarded():
		return "off: guard = false"
	}
	return "on (" + guardDigest().String() + ")"
}

// guardDigest names the guard of this program: its files, byte for byte.
func guardDigest() sexpr.Digest {
	var b strings.Builder
	for _, name := range guardFiles() {
		text, err := fs.ReadFile(shipped.Files(), name)
		if err != nil {
			panic(err) // it is embedded
		}
		fmt.Fprintf(&b, "%s %d\n%s", name, len(text), text)
	}
	return sexpr.DigestText("cortex/guard/1", b.String())
}

// besideGuard adds to the errors of a load what helps where a rule of the guard is defined
// again: rules that hold a copy of it which was changed.
func besideGuard(err error) error {
	var list rules.ErrorList
	if !errors.As(err, &list) {
		return err
	}
	for _, e := range list {
		if strings.Contains(e.Msg, "first at "+guardFolder+"/") {
			e.Msg += ", in the guard that this program brings; load without it (--no-guard), or rename yours"
		}
	}
	return err
}
