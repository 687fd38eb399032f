package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// markdown is the page that is written.
func (r *report) markdown() (string, error) {
	rivals, err := versions()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks\n\nWritten by `make bench`; do not edit.\n\n")
	fmt.Fprintf(&b, "%s, %s, %s/%s, %s. Load average when it began: %s.\n", r.begun.UTC().Format(time.DateOnly),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, machine(), r.load)
	fmt.Fprintf(&b, "Beside: %s.\n\n", strings.Join(rivals, ", "))
	fmt.Fprintf(&b, "Ours and theirs take turns, %d times, about %v each; figures are medians, ± is how far the "+
		"farthest of the %d is from the median. ", r.reps, r.each, r.reps)
	b.WriteString("A ratio is ours through theirs, the median over the turns: below 1, ours takes less. Absolute times " +
		"are those of this machine in that hour.\n")
	if r.short {
		b.WriteString("\nThis was a short run: good enough to see a change of half, not of a tenth.\n")
	}
	b.WriteString("\n| what | ours | theirs | ratio | to reach |\n|---|---|---|---|---|\n")
	for _, x := range r.out {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", x.what, x.ours, x.theirs, x.ratio, x.target)
	}
	for _, n := range r.notes {
		fmt.Fprintf(&b, "\n%s\n", n)
	}
	return b.String(), nil
}

// versions are the rivals, as they are linked here or answer for themselves.
func versions() ([]string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, fmt.Errorf("this program does not know its modules")
	}
	var out []string
	for _, m := range info.Deps {
		switch m.Path {
		case "github.com/expr-lang/expr",
			"github.com/cedar-policy/cedar-go", "cel.dev/cel-go", "github.com/cockroachdb/pebble/v2":
			out = append(out, m.Path[strings.IndexByte(m.Path, '/')+1:]+" "+m.Version)
		}
	}
	out = append(out, "encoding/json of this Go")
	if v, err := exec.Command("sbcl", "--version").Output(); err == nil {
		out = append(out, strings.TrimSpace(string(v)))
	}
	return out, nil
}

// machine says what it ran on, as far as a Linux machine tells.
func machine() string {
	s := fmt.Sprintf("%d cores", runtime.NumCPU())
	if v := field("/proc/cpuinfo", "model name"); v != "" {
		s += " of " + v
	}
	kb, err := strconv.Atoi(strings.TrimSuffix(field("/proc/meminfo", "MemTotal"), " kB"))
	if err == nil {
		s += fmt.Sprintf(", %d GiB", (kb+1<<19)>>20)
	}
	return s
}

// field is the first line "name: value" of a file.
func field(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if k, v, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}
