package hooking

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/adapters/hooks"
)

// tried is a host as its page in docs/hosts names it.
type tried struct {
	program string // its name in PATH
	title   string
	version string // that was tried; "" if none was
	least   string // that the hook needs; "" if none is known
}

func triedOf(d hooks.Dialect) tried {
	switch d.Name() {
	case "claude":
		return tried{"claude", "Claude Code", "2.1.330", "2.1.295"}
	case "codex":
		return tried{"codex", "Codex", "0.169.0", ""}
	case "gemini":
		return tried{"gemini", "Gemini CLI", "0.61.0", ""}
	case "cursor":
		return tried{"cursor", "Cursor", "", ""}
	}
	return tried{"copilot", "Copilot", "", ""}
}

// Host says which version of a hook's host is in PATH, and how it stands to the one that was tried. It is bad if the
// hook needs a newer one, and good if it is the one that was tried.
func Host(ctx context.Context, d hooks.Dialect) (text string, good, bad bool) {
	h := triedOf(d)
	than := "none was tried"
	if h.version != "" {
		than = h.version + " was tried"
	}
	path, err := exec.LookPath(h.program)
	if err != nil {
		return fmt.Sprintf("%s is not in PATH; %s", h.title, than), false, false
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version") //nolint:gosec // the host that the person uses
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	version := regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(string(out))
	switch {
	case version == "":
		return fmt.Sprintf("%s does not tell its version (%v); %s", path, err, than), false, false
	case h.least != "" && older(version, h.least):
		return fmt.Sprintf("%s is %s %s, and the hook needs %s or newer", path, h.title, version, h.least), false, true
	case version == h.version:
		return fmt.Sprintf("%s is %s %s, which was tried", path, h.title, version), true, false
	}
	return fmt.Sprintf("%s is %s %s; %s", path, h.title, version, than), false, false
}

// older compares versions of three numbers.
func older(a, b string) bool {
	is, than := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(is), len(than)) {
		x, _ := strconv.Atoi(is[i])
		y, _ := strconv.Atoi(than[i])
		if c := cmp.Compare(x, y); c != 0 {
			return c < 0
		}
	}
	return false
}
