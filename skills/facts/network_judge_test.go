//go:build unix

package facts

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	outside "github.com/opencortex-go/cortex/internal/oracle"
	"github.com/opencortex-go/cortex/skills/facts/internal/hosts"
	"github.com/opencortex-go/cortex/skills/facts/internal/options"
)

var (
	diffLines = flag.Int("diff.lines", 300, "generated command lines to hold against the programs")
	diffSeed  = flag.Int64("diff.seed", 1, "seed of the generator")
)

// contacts listens on several addresses of this computer, with one port, and
// notes which of them a program talks to.
type contacts struct {
	port      int
	listeners []net.Listener
	wait      sync.WaitGroup
	mu        sync.Mutex
	seen      map[string]bool
}

// loopback are the addresses that stand for hosts in the lines below.
var loopback = []string{"127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"}

func listen(t *testing.T) *contacts {
	c := &contacts{seen: map[string]bool{}}
	for tries := 0; len(c.listeners) < len(loopback); tries++ {
		require.Less(t, tries, 50, "no port is free on all of %v", loopback)
		c.listen()
	}
	for i, l := range c.listeners {
		c.wait.Add(1)
		go c.serve(loopback[i], l)
	}
	t.Cleanup(func() { c.close(); c.wait.Wait() })
	return c
}

// listen opens one port on every address, or none.
func (c *contacts) listen() {
	c.close()
	c.listeners = nil
	c.port = 0
	for _, addr := range loopback {
		l, err := net.Listen("tcp", fmt.Sprintf("%s:%d", addr, c.port))
		if err != nil {
			c.close()
			c.listeners = nil
			return
		}
		c.listeners = append(c.listeners, l)
		c.port = l.Addr().(*net.TCPAddr).Port
	}
}

func (c *contacts) close() {
	for _, l := range c.listeners {
		_ = l.Close()
	}
}

func (c *contacts) serve(addr string, l net.Listener) {
	defer c.wait.Done()
	for {
		conn, err := l.Accept()
		if err != nil {
			return // closed
		}
		c.mu.Lock()
		c.seen[addr] = true
		c.mu.Unlock()
		// It says yes to everything, so that a proxy is asked for the next host.
		_ = conn.SetDeadline(time.Now().Add(200 * time.Millisecond))
		_, _ = conn.Read(make([]byte, 1024))
		_, _ = io.WriteString(conn, "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")
		_ = conn.Close()
	}
}

// of returns the addresses that a program talks to when it is run so.
func (c *contacts) of(dir string, env []string, program string, args ...string) []string {
	c.mu.Lock()
	c.seen = map[string]bool{}
	c.mu.Unlock()
	_ = quietly(dir, env, program, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for addr := range c.seen {
		out = append(out, addr)
	}
	slices.Sort(out)
	return out
}

// quietly runs a program for at most two seconds and returns what it wrote.
func quietly(dir string, env []string, program string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append([]string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0"}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, _ := cmd.CombinedOutput() // most lines fail on purpose
	return string(out)
}

// quoted writes words as a shell takes them literally.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(out, " ")
}

// spell writes an option with a value in one of the ways that programs take.
func spelling(r *rand.Rand, s *options.Section, o options.Option, value string) []string {
	if len(o.Name) == 1 {
		name := "-" + o.Name
		if flags := flagsOf(s); len(flags) > 0 && r.Intn(2) == 0 {
			name = "-" + flags[r.Intn(len(flags))] + o.Name
		}
		switch {
		case o.Takes == options.None:
			return []string{name}
		case r.Intn(2) == 0 && value != "":
			return []string{name + value}
		}
		return []string{name, value}
	}
	name := "--" + o.Name
	if r.Intn(3) == 0 {
		name = name[:3+r.Intn(len(name)-2)]
	}
	switch {
	case o.Takes == options.None:
		return []string{name}
	case r.Intn(2) == 0:
		return []string{name + "=" + value}
	}
	return []string{name, value}
}

// flagsOf are the short options without a value.
func flagsOf(s *options.Section) []string {
	var out []string
	for _, o := range s.Short {
		if o.Takes == options.None && o.Value == options.Plain && !strings.ContainsAny(o.Name, "hVMGb#:") {
			out = append(out, o.Name)
		}
	}
	return out
}

// judged is a program that is run with random options of its table.
type judged struct {
	program, section string
	before           []string // options that keep it short
	leave            string   // options that would make it wait, or end at once
	operand          func(addr string, port int) string
	env              []string // names of variables that may name a host
	setup            func(t *testing.T, dir string)
}

func webURL(addr string, port int) string { return fmt.Sprintf("http://%s:%d/x", addr, port) }
func hostPort(addr string, port int) string {
	return fmt.Sprintf("%s:%d", addr, port)
}

var judges = []judged{
	{program: "curl", section: "curl",
		leave: "help manual version retry retry-delay limit-rate rate next-x h M V parallel-max",
		operand: func(a string, p int) string {
			if p%2 == 0 {
				return hostPort(a, p)
			}
			return webURL(a, p)
		}, env: []string{"http_proxy", "all_proxy"}},
	{program: "wget", section: "wget", before: []string{"-t", "1", "-T", "1"}, operand: hostPort,
		env: []string{"http_proxy"},
		leave: "help version background tries timeout wait waitretry random-wait limit-rate h V b t T w read-timeout " +
			"retry-connrefused retry-on-http-error retry-on-host-error recursive mirror r m"},
	{program: "git", section: "git ls-remote", operand: webURL, leave: "h", env: []string{"http_proxy"}},
	{program: "git", section: "git clone", operand: webURL, leave: "h", env: []string{"http_proxy"}},
	{program: "git", section: "git fetch", operand: webURL, leave: "h", env: []string{"all_proxy"},
		setup: func(t *testing.T, dir string) { quietly(dir, nil, "git", "init", "-q", ".") }},
	{program: "rsync", section: "rsync", leave: "help version h V timeout contimeout stop-at stop-after daemon",
		operand: func(a string, p int) string {
			return fmt.Sprintf("rsync://%s:%d/m/x", a, p)
		}, env: []string{"RSYNC_PROXY"}},
}

// line makes one random command line: its variables and its words.
func (j judged) line(r *rand.Rand, c *contacts) (env, words []string) {
	p := options.Find(j.program)
	s := p.Section(j.section)
	leave := strings.Fields(j.leave)
	all := slices.DeleteFunc(slices.Concat(s.Short, s.Long),
		func(o options.Option) bool { return slices.Contains(leave, o.Name) })
	host := func() string { return loopback[r.Intn(len(loopback))] }
	value := func(o options.Option) string {
		switch r.Intn(4) {
		case 0:
			return j.operand(host(), c.port)
		case 1:
			return []string{"1", "x", "a=b", "@x", "127.0.0.1"}[r.Intn(5)]
		}
		return hostPort(host(), c.port)
	}
	if len(j.env) > 0 && r.Intn(4) == 0 {
		env = append(env, j.env[r.Intn(len(j.env))]+"="+hostPort(host(), c.port))
	}
	words = append(words, strings.Fields(j.section)[1:]...)
	if j.program == "git" && r.Intn(3) == 0 {
		words = slices.Concat([]string{"-c", "http.proxy=" + hostPort(host(), c.port)}, words)
	}
	words = append(words, j.before...)
	operands := 1 + r.Intn(2)
	for n := 1 + r.Intn(4); n > 0 || operands > 0; {
		switch {
		case operands > 0 && (n == 0 || r.Intn(3) == 0):
			words = append(words, j.operand(host(), c.port))
			operands--
		case r.Intn(20) == 0:
			words = append(words, "--")
			n--
		default:
			o := all[r.Intn(len(all))]
			words = append(words, spelling(r, s, o, value(o))...)
			n--
		}
	}
	return env, words
}

// Whatever host a program talks to is among those that its line names, or the
// list says that there may be more.
func TestHosts_JudgedByThePrograms(t *testing.T) {
	crashtest.Long(t)
	for _, j := range judges {
		t.Run(j.section, func(t *testing.T) {
			program := outside.Find(t, j.program)
			c := listen(t)
			r := rand.New(rand.NewSource(*diffSeed))
			talked, certain, naive := 0, 0, 0
			for range *diffLines / 4 {
				dir := t.TempDir()
				if j.setup != nil {
					j.setup(t, dir)
				}
				env, words := j.line(r, c)
				line := strings.TrimSpace(quotedEnv(env) + " " + j.program + " " + quoted(words))
				said := asked(t, commandCase(t, line), "hosts", nil)
				for _, addr := range c.of(dir, env, program, words...) {
					talked++
					if !strings.Contains(said, "?") {
						certain++
						assert.Contains(t, strings.Fields(strings.Trim(said, "[]")), addr, "%s: %s", line, said)
					}
					if last := words[len(words)-1]; !strings.Contains(last, addr) {
						naive++ // a reader that looks at the last word misses it
					}
				}
			}
			t.Logf("%s: %d contacts, %d of them with a list that ends; the last word alone misses %d", j.section, talked,
				certain, naive)
			assert.Positive(t, certain, "the judge saw nothing")
			assert.Positive(t, naive, "these lines would not tell a careless reader from a careful one")
		})
	}
}

func quotedEnv(env []string) string {
	var b strings.Builder
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		b.WriteString(name + "=" + quoted([]string{value}) + " ")
	}
	return b.String()
}

var resolved = regexp.MustCompile(`(?m)^(hostname|proxyjump) (.*)$`)

// ssh -G says which hosts ssh would talk to.
func TestHosts_JudgedBySSH(t *testing.T) {
	crashtest.Long(t)
	program := outside.Find(t, "ssh")
	dir := t.TempDir()
	p := options.Find("ssh")
	s := p.Section("ssh")
	r := rand.New(rand.NewSource(*diffSeed))
	known := []string{"a.example", "b.example", "evil.net", "bob@c.example", "10.0.0.1"}
	host := func() string { return known[r.Intn(len(known))] }
	all := slices.DeleteFunc(slices.Clone(s.Short),
		func(o options.Option) bool { return strings.Contains("VQFGO", o.Name) })
	settings := []string{"HostName=", "hostname ", "ProxyJump=", "proxyjump = ", "User=", "HostKeyAlias="}
	certain := 0
	for range *diffLines {
		var words []string
		for n := r.Intn(4) + 1; n > 0; n-- {
			switch r.Intn(6) {
			case 0:
				words = append(words,
					spelling(r, s, options.Option{Name: "o", Takes: options.Needs}, settings[r.Intn(len(settings))]+host())...)
			case 1:
				words = append(words, host())
			case 2:
				words = append(words, []string{"--", "ls", "-"}[r.Intn(3)])
			default:
				words = append(words, spelling(r, s, all[r.Intn(len(all))], []string{host(), "22", "x"}[r.Intn(3)])...)
			}
		}
		words = append(words, host())
		line := "ssh " + quoted(words)
		said := asked(t, commandCase(t, line), "hosts", nil)
		out := quietly(dir, nil, program, append([]string{"-G"}, words...)...)
		for _, m := range resolved.FindAllStringSubmatch(out, -1) {
			for _, h := range strings.Split(m[2], ",") {
				name, err := hosts.Of(h)
				if err != nil || h == "none" || strings.Contains(said, "?") {
					continue
				}
				certain++
				assert.Contains(t, strings.Fields(strings.Trim(said, "[]")), name, "%s: %s", line, said)
			}
		}
	}
	t.Logf("%d hosts that ssh -G resolved, with a list that ends", certain)
	assert.Positive(t, certain)
}

var wantsValue = regexp.MustCompile(
	`requires (a )?(parameter|an argument|a value)|missing argument|requires an argument|needs an argument`)

// The programs themselves say which of their options need a value: an option
// that stands last has none.
func TestOptionTables_JudgedByThePrograms(t *testing.T) {
	crashtest.Long(t)
	for _, section := range []string{"curl",
		"wget", "rsync", "ssh", "scp", "sftp", "git clone", "git fetch", "git push", "git ls-remote"} {
		t.Run(section, func(t *testing.T) {
			words := strings.Fields(section)
			program := outside.Find(t, words[0])
			dir := t.TempDir()
			require.NotEmpty(t, quietly(dir, nil, "git", "init", "-q", filepath.Join(dir, "r"))+" ")
			dir = filepath.Join(dir, "r")
			require.NoError(t, os.MkdirAll(dir, 0o755))
			s := options.Find(words[0]).Section(section)
			table := options.Find(words[0])
			checked := 0
			judge := func(o options.Option, name string) {
				out := quietly(dir, nil, program, append(slices.Clone(words[1:]), name)...)
				for _, other := range []string{"unknown option", "unrecognized option", "is unknown", "ambiguous"} {
					if strings.Contains(out, other) {
						return // another version, or built without it
					}
				}
				checked++
				assert.Equal(t, o.Takes == options.Needs, wantsValue.MatchString(out), "%s %s: %.200s", section, name, out)
			}
			for _, o := range s.Short {
				judge(o, "-"+o.Name)
			}
			for _, o := range s.Long {
				judge(o, "--"+o.Name)
			}
			assert.Greater(t, checked, (len(s.Short)+len(s.Long))/2, "most options are known to the program that is installed")
			// An option that the table lacks may be the beginning of one that it has.
			r := rand.New(rand.NewSource(*diffSeed))
			for range min(*diffLines/6, 10*len(s.Long)) {
				name := s.Long[r.Intn(len(s.Long))].Name
				name = name[:1+r.Intn(len(name))]
				if o, ok := table.Long(s, name); ok {
					judge(o, "--"+name)
				}
			}
		})
	}
}
