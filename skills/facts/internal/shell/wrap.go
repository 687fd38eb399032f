package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// wrapper tells how a program that runs another one takes its own words, so
// that the other's can be found. An option that is not listed makes the command
// unknown.
type wrapper struct {
	values  string // short options with a value
	flags   string // short options without; "?" after one: its value is optional and attached
	long    string // long options with a value
	bools   string // long options without, or with an optional one after =
	skip    int    // operands before the command
	assigns bool   // NAME=value may stand before the command
	numbers bool   // -10 is an option
	prints  string // options with which it runs nothing
	chdir   string // options that change the folder: "C chdir"
	sameEnv bool   // the command sees the same variables
	inside  bool   // the command runs in this very shell
}

// wrappers are the programs and builtins that run the command in their operands.
var wrappers = map[string]wrapper{
	"sudo": {values: "ugpCDRThrtU", flags: "AbBEHiKklNnPSsVv",
		long: "user group prompt close-from chdir chroot command-timeout host role type other-user",
		bools: "askpass background bell preserve-env set-home login no-update non-interactive preserve-groups stdin shell " +
			"reset-timestamp", assigns: true, prints: "l V v list validate version edit e", chdir: "D chdir R chroot"},
	"doas": {values: "uC", flags: "nsL", prints: "L"},
	"env": {values: "uCa", flags: "i0v", long: "unset chdir argv0",
		bools: "ignore-environment null debug block-signal default-signal ignore-signal list-signal-handling", assigns: true,
		chdir: "C chdir"},
	"nohup":  {sameEnv: true},
	"setsid": {flags: "cfw", bools: "ctty fork wait", sameEnv: true},
	"timeout": {values: "ks", flags: "fpv", long: "kill-after signal",
		bools: "foreground preserve-status verbose", skip: 1, sameEnv: true},
	"nice":   {values: "n", long: "adjustment", numbers: true, sameEnv: true},
	"ionice": {values: "cn", flags: "t", long: "class classdata", bools: "ignore", prints: "p P u", sameEnv: true},
	"stdbuf": {values: "ioe", long: "input output error", sameEnv: true},
	"time": {values: "fo", flags: "apqvl", long: "format output", bools: "append portability quiet verbose",
		sameEnv: true},
	"command": {prints: "v V", sameEnv: true, inside: true},
	"exec":    {sameEnv: true},
	"busybox": {prints: "list list-full install help", bools: "list list-full"},
	"toybox":  {prints: "long help"},
	"chroot":  {long: "groups userspec", bools: "skip-chdir", skip: 1, chdir: "/"},
	"unshare": {flags: "muinpUCTrcfS",
		bools: "mount uts ipc net pid user cgroup time fork map-root-user map-current-user mount-proc"},
	"taskset": {flags: "a", bools: "all-tasks", skip: 1, sameEnv: true},
	"chrt":    {flags: "abfior", bools: "batch fifo idle other rr", skip: 1, sameEnv: true},
	"prlimit": {bools: "as core cpu data fsize memlock nofile nproc rss stack", sameEnv: true},
	"strace":  {values: "aeEIoOPsSuUX", flags: "cCdfFhikqrtTvVwxyYzZ", sameEnv: true},
	"ltrace":  {values: "aeloinsuxAD", flags: "bcCfLrStT", sameEnv: true},
	"flock": {values: "wE", flags: "sxenuoF", long: "timeout conflict-exit-code",
		bools: "shared exclusive unlock nonblock close no-fork verbose", skip: 1, sameEnv: true},
	"pkexec":  {long: "user", bools: "disable-internal-agent keep-cwd", prints: "version help"},
	"setpriv": {}, "nsenter": {}, "systemd-run": {}, "fakeroot": {}, "proxychains": {flags: "q", values: "f"},
	"proxychains4": {flags: "q", values: "f"},
	"torsocks":     {}, "torify": {}, "tsocks": {}, "dbus-run-session": {}, "xvfb-run": {flags: "a"},
	"unbuffer": {flags: "p"},
	"rlwrap":   {},
	"xargs": {values: "adEILnPsS", flags: "0oprtxi?e?l?",
		long:  "arg-file delimiter eof max-lines max-args max-procs max-chars process-slot-var replace",
		bools: "null interactive no-run-if-empty verbose exit open-tty show-limits", sameEnv: true},
}

// peel takes one wrapper off. done is true if it runs nothing but itself.
func (r *reader) peel(base string, spec wrapper, in invocation, at scope) (inner invocation, next scope, done bool) {
	opts, rest, ok := spec.options(in.words[1:])
	next = at.through(base)
	inner = invocation{words: rest, more: in.more, redirects: in.redirects}
	next.change().Own = append(next.Own[:len(next.Own):len(next.Own)], in.words[1:len(in.words)-len(rest)]...)
	if !ok {
		// What the wrapper runs depends on a word we cannot read: an unknown
		// command, whose operands are all of the rest.
		inner.words = append([]Word{unknownWord("the command that "+base+" runs", false)}, rest...)
		return inner, next, false
	}
	for _, o := range opts {
		if slices.Contains(strings.Fields(spec.prints), o.name) {
			return in, at, true
		}
		if slices.Contains(strings.Fields(spec.chdir), o.name) {
			next.dirs = into(o.value, at.dirs)
		}
	}
	if spec.chdir == "/" {
		next.dirs = nil
	}
	if !slices.Equal(next.dirs, at.dirs) {
		for _, w := range rest {
			if w.Pattern { // the shell itself looks for files, where it stands
				next.change().Lists = append(next.Lists[:len(next.Lists):len(next.Lists)], Redirect{Target: w, dirs: at.dirs})
			}
		}
	}
	if !spec.sameEnv && base != "env" {
		next.vars = &vars{}
	}
	if spec.assigns {
		inner.words = r.assigned(inner.words, &next)
	}
	if applets := base == "busybox" || base == "toybox"; applets && len(inner.words) > 0 && inner.words[0].Known {
		inner.words = slices.Clone(inner.words)
		inner.words[0] = Known(path.Base(inner.words[0].Text)) // it looks at nothing else
	}
	if base == "xargs" {
		xargs(&inner, opts, at.feed)
		next.unfed()
	}
	switch {
	case len(inner.words) > 0:
		return inner, next, false
	case inner.more != "":
		inner.words = []Word{unknownWord("the command that "+base+" runs", true)}
		return inner, next, false
	case base == "sudo" || base == "doas" || base == "unshare" || base == "chroot" || base == "pkexec" ||
		base == "nsenter":
		r.unsure("what the shell that " + base + " starts reads")
	}
	return in, at, true
}

// assigned takes NAME=value off the front of a wrapper's operands.
func (r *reader) assigned(ws []Word, at *scope) []Word {
	names := map[string]bool{}
	for len(ws) > 0 && ws[0].Known && strings.Contains(ws[0].Text, "=") {
		name, _, _ := strings.Cut(ws[0].Text, "=")
		names[name] = false
		if !syntax.ValidName(name) || programVariable(name) || specialVariable(name) && !strings.HasPrefix(name, "LC_") &&
			name != "LANG" {
			r.unsure("what the variable " + name + " makes it do")
		}
		at.change().Own = append(at.Own[:len(at.Own):len(at.Own)], ws[0])
		ws = ws[1:]
	}
	at.vars = at.vars.and(names)
	return ws
}

// into returns the folders after a change to w from dirs.
func into(w Word, dirs []string) []string {
	if !w.Known || w.Pattern || w.Tilde {
		return nil
	}
	var out []string
	for _, g := range w.Globs(dirs) {
		text, ok := glob.Unescape(g)
		if !ok {
			return nil
		}
		out = append(out, text)
	}
	return out
}
