package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/mcp"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/internal/socket"
)

// mcpCmd stands between a client of the Model Context Protocol and its servers.
type mcpCmd struct {
	Command []string `arg:"" optional:"" passthrough:"" help:"After --: the server to start, which speaks on standard input and output."`
	URL     string   `name:"url" placeholder:"URL" help:"The server to reach over streamable HTTP, in place of a command."`
	Servers string   `name:"servers" placeholder:"FILE" help:"Several servers behind one name: a JSON file with mcpServers, as clients have it."`

	Name     string        `name:"name" help:"What the record calls the server; by default after the command or the address."`
	Listen   string        `name:"listen" placeholder:"ADDR" help:"Serve clients over streamable HTTP at this address, in place of standard input and output."`
	Token    string        `name:"token" placeholder:"FILE" help:"With --listen: a file with the bearer token that clients have to send."`
	Host     []string      `name:"host" sep:"none" help:"With --listen: a host name that clients may use besides this machine's own; may be repeated."`
	Wait     time.Duration `name:"wait" default:"25s" help:"How long a call waits for a person where the client hears no progress."`
	Patience time.Duration `name:"patience" default:"10m" help:"How long a call waits for a person where the client hears progress."`

	UpstreamToken string `name:"upstream-token" placeholder:"FILE" help:"With --url: a file with the bearer token for the server."`
	OAuth         bool   `name:"oauth" help:"With --url: log in where the server asks for it, in the browser ($$BROWSER)."`
	OAuthClient   string `name:"oauth-client" placeholder:"FILE" help:"With --oauth: a JSON file with client_id, client_secret, metadata_url and redirect_url, for servers that know this client."`

	Socket     string   `name:"socket" placeholder:"PATH" help:"The plain socket of the daemon that judges; its API stands beside it."`
	Standalone bool     `name:"standalone" help:"Judge in this process, by --rules and the guard, without a daemon."`
	Rules      []string `name:"rules" sep:"none" placeholder:"PATH" help:"With --standalone: a rule file, or a folder of them; may be repeated."`
	Dir        string   `name:"dir" placeholder:"FOLDER" help:"With --standalone: the folder of the record; by default one that goes when the command ends."`
	NoGuard    bool     `name:"no-guard" help:"With --standalone: do not load the guard."`

	Operator bool `name:"operator" help:"Serve an operator's agent, to read: status, cards, decisions, explain, rules check."`
}

// Help is printed below the flags.
func (*mcpCmd) Help() string {
	return "Each tools/call goes to the rules first; everything else passes as it is. See docs/mcp.md."
}

// Run serves until the client leaves.
func (c *mcpCmd) Run(p *program) error {
	if len(c.Command) > 0 && c.Command[0] == "--" {
		c.Command = c.Command[1:]
	}
	ways := 0
	for _, is := range []bool{len(c.Command) > 0, c.URL != "", c.Servers != "", c.Operator} {
		if is {
			ways++
		}
	}
	switch {
	case ways == 0:
		return errors.New("cortex mcp alone is kept for the tools of runs, which are not there yet; " +
			"name a server (-- COMMAND, --url URL or --servers FILE), or --operator")
	case ways > 1:
		return errors.New("found more than one of -- COMMAND, --url, --servers and --operator; expected one")
	case c.Operator:
		return c.operate(p)
	}
	ctx, stop := untilTold(p.ctx)
	defer stop()
	behind, err := c.behind(p)
	if err != nil {
		return err
	}
	judge, done, err := c.judge(ctx, p)
	if err != nil {
		return err
	}
	return errors.Join(c.proxy(ctx, p, behind, judge), done())
}

// proxy serves one client on standard input and output, or many over HTTP.
func (c *mcpCmd) proxy(ctx context.Context, p *program, behind mcp.Backend, judge mcp.Judge) error {
	pins, err := c.pins()
	if err != nil {
		return err
	}
	proxy, err := mcp.New(mcp.Options{Name: c.name(), Judge: judge, Pins: pins, Wait: c.Wait, Patience: c.Patience,
		Logger: slog.New(slog.NewTextHandler(p.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err != nil {
		return err
	}
	if c.Listen == "" {
		return proxy.Stdio(ctx, behind, p.In, p.Out)
	}
	return c.serve(ctx, p, proxy, behind)
}

// serve serves clients over HTTP until ctx ends.
func (c *mcpCmd) serve(ctx context.Context, p *program, proxy *mcp.Proxy, behind mcp.Backend) error {
	opt := mcp.HTTPOptions{Hosts: c.Host}
	if c.Token != "" {
		text, err := os.ReadFile(c.Token)
		if err != nil {
			return err
		}
		if opt.Token = strings.TrimSpace(string(text)); len(opt.Token) < 16 {
			return fmt.Errorf("--token %s: expected a token of at least 16 bytes", c.Token)
		}
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return err
	}
	if at, ok := l.Addr().(*net.TCPAddr); opt.Token == "" && (!ok || !at.IP.IsLoopback()) {
		return errors.Join(fmt.Errorf("--listen %s: others can reach this address; --token FILE says who may call",
			c.Listen), l.Close())
	}
	h, err := proxy.HTTP(behind, opt)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	gone := make(chan error, 1)
	go func() { gone <- server.Serve(l) }()
	p.Printf("serving http://%s%s\n", l.Addr(), h.Path())
	select {
	case err = <-gone:
	case <-ctx.Done():
		err = server.Close()
		if e := <-gone; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
	}
	return errors.Join(err, h.Close())
}

// behind is the server or servers.
func (c *mcpCmd) behind(p *program) (mcp.Backend, error) {
	switch {
	case c.URL != "":
		opt := mcp.RemoteOptions{Token: c.UpstreamToken}
		if c.OAuth {
			o, err := c.oauth(p)
			if err != nil {
				return nil, err
			}
			opt.OAuth = o
		}
		return mcp.NewRemote(c.URL, opt)
	case c.Servers != "":
		return c.servers(p)
	}
	return mcp.Command{Args: c.Command, Err: p.Err}, nil
}

// oauth is how to log in.
func (c *mcpCmd) oauth(p *program) (*mcp.OAuth, error) {
	var f struct {
		ID       string `json:"client_id"`
		Secret   string `json:"client_secret"`
		Metadata string `json:"metadata_url"`
		Redirect string `json:"redirect_url"`
	}
	if c.OAuthClient != "" {
		text, err := os.ReadFile(c.OAuthClient)
		if err == nil {
			err = json.Unmarshal(text, &f)
		}
		if err != nil {
			return nil, fmt.Errorf("--oauth-client %s: %w", c.OAuthClient, err)
		}
	}
	open := strings.Fields(os.Getenv("BROWSER"))
	if len(open) == 0 {
		open = []string{map[string]string{"darwin": "open"}[runtime.GOOS]}
		if open[0] == "" {
			open[0] = "xdg-open"
		}
	}
	return &mcp.OAuth{ID: f.ID, Secret: f.Secret, Metadata: f.Metadata, Redirect: f.Redirect, Browser: open,
		Say: p.Err}, nil
}

// servers reads the file that clients have too.
func (c *mcpCmd) servers(p *program) (mcp.Backend, error) {
	text, err := os.ReadFile(c.Servers)
	if err != nil {
		return nil, err
	}
	var f struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
			Dir     string            `json:"cwd"`
			URL     string            `json:"url"`
			Token   string            `json:"tokenFile"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("--servers %s: %w", c.Servers, err)
	}
	if len(f.Servers) == 0 {
		return nil,
			fmt.Errorf(`--servers %s: found no servers; expected {"mcpServers": {"NAME": {"command": ..., "args": [...]}}}`,
				c.Servers)
	}
	all := mcp.Merge{}
	for name, s := range f.Servers {
		if s.URL != "" {
			if all[name], err = mcp.NewRemote(s.URL, mcp.RemoteOptions{Token: s.Token}); err != nil {
				return nil, err
			}
			continue
		}
		env := os.Environ()
		for k, v := range s.Env {
			env = append(env, k+"="+v)
		}
		all[name] = mcp.Command{Args: append([]string{s.Command}, s.Args...), Env: env, Dir: s.Dir, Err: p.Err}
	}
	return all, all.Check()
}

// runners start the program that the argument after them names.
var runners = []string{"node", "npx", "bun", "bunx", "deno", "python", "python3", "uv", "uvx"}

// plain are names of files and folders that say nothing.
var plain = []string{"index", "main", "server", "cli", "dist", "build", "lib", "src", "bin", "."}

// served is the name of the program that a command starts in the end.
func served(command []string) string {
	for _, arg := range command {
		base := strings.TrimSuffix(filepath.Base(arg), filepath.Ext(arg))
		if strings.HasPrefix(arg, "-") || slices.Contains(runners, base) {
			continue
		}
		for at := arg; slices.Contains(plain, base) && filepath.Dir(at) != at; {
			at = filepath.Dir(at)
			base = filepath.Base(at)
		}
		return base
	}
	return "server"
}

// name is what the record calls the server.
func (c *mcpCmd) name() string {
	name := c.Name
	switch {
	case name != "":
	case c.URL != "":
		name = c.URL
		if _, rest, ok := strings.Cut(name, "://"); ok {
			name = rest
		}
	case c.Servers != "":
		name = "servers"
	default:
		name = served(c.Command)
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '/' || r == 0x7f {
			return '-'
		}
		return r
	}, strings.Trim(name, "/"))
}

// pins is the file that keeps the definitions of the server's tools.
func (c *mcpCmd) pins() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		state = filepath.Join(home, ".local", "state")
	}
	sum := sha256.Sum256([]byte(strings.Join(append(slices.Clone(c.Command), c.URL, c.Servers), "\x00")))
	return filepath.Join(state, "cortex", "mcp", c.name()+"-"+hex.EncodeToString(sum[:4])+".json"), nil
}

// judge is the daemon, or one in this process; done ends what was begun.
func (c *mcpCmd) judge(ctx context.Context, p *program) (j mcp.Judge, done func() error, err error) {
	if c.Standalone {
		return c.alone(ctx, p)
	}
	at := socket.API(recordFlag{Socket: c.Socket}.socket())
	if nc, err := net.Dial("unix", at); err != nil {
		return nil, nil, &noDaemon{at}
	} else if err := nc.Close(); err != nil {
		return nil, nil, err
	}
	judge := client.New(at)
	return judge, func() error { judge.Close(); return nil }, nil
}

// alone starts a daemon in this process, which ends with it.
func (c *mcpCmd) alone(ctx context.Context, p *program) (mcp.Judge, func() error, error) {
	if len(c.Rules) == 0 {
		return nil, nil, errors.New("--standalone judges by rules: name them with --rules")
	}
	temp, err := os.MkdirTemp("", "cortex-mcp-")
	if err != nil {
		return nil, nil, err
	}
	cfg := daemon.Config{Dir: c.Dir, Socket: filepath.Join(temp, "cortex.sock"), Live: true, NoGuard: c.NoGuard}
	if cfg.Dir == "" {
		cfg.Dir = filepath.Join(temp, "record")
	}
	for _, r := range c.Rules {
		if r, err = filepath.Abs(r); err != nil {
			return nil, nil, err
		}
		cfg.Rules = append(cfg.Rules, r)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // it outlives the proxy's last words
	ready, over := make(chan daemon.Ready, 1), make(chan error, 1)
	go func() {
		over <- daemon.Run(ctx, daemon.Options{Config: cfg, Version: version(), Logger: slog.New(slog.DiscardHandler)},
			func(r daemon.Ready) error { ready <- r; return nil })
	}()
	done := func() error { stop(); return errors.Join(<-over, os.RemoveAll(temp)) }
	select {
	case r := <-ready:
		judge := client.New(r.API)
		return judge, func() error { judge.Close(); return done() }, nil
	case err := <-over:
		stop()
		return nil, nil, errors.Join(p.faults(err), os.RemoveAll(temp))
	}
}

// keepOpen is standard input or output for who would close it.
type keepOpen struct {
	io.Reader
	io.Writer
}

func (keepOpen) Close() error { return nil }

// operate serves an operator's agent.
func (c *mcpCmd) operate(p *program) error {
	d, err := dial(p.ctx, recordFlag{Socket: c.Socket}.socket())
	if err != nil {
		return err
	}
	std := keepOpen{p.In, p.Out}
	err = mcp.ServeOperator(p.ctx, operator{d}, version(), std, std)
	return errors.Join(err, d.Close())
}
