// Package proxying is the command that stands between a client of the Model Context Protocol and its
// servers, or offers workflows to an agent, or serves an operator's agent: it finds the server, the judge
// and the pinned definitions, and leaves the rest to package mcp.
package proxying

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/mcp"
	"github.com/opencortex-go/cortex/adapters/mcp/serve"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/internal/loglimit"
)

// Command stands between a client of the Model Context Protocol and its servers. With no server it
// serves the tools for workflows.
type Command struct {
	Command []string `arg:"" optional:"" passthrough:"" help:"After --: the server to start, which speaks on standard input and output."`
	URL     string   `name:"url" placeholder:"URL" help:"The server to reach over streamable HTTP, in place of a command."`
	Servers string   `name:"servers" placeholder:"FILE" help:"Several servers behind one name: a JSON file with mcpServers, as clients have it."`

	Name     string        `name:"name" help:"What the record calls the server; by default after the command or the address."`
	Listen   string        `name:"listen" placeholder:"ADDR" help:"Serve clients over streamable HTTP at this address, in place of standard input and output."`
	Token    string        `name:"token" placeholder:"FILE" help:"With --listen, which wants it: a file with the bearer token that clients have to send."`
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
func (*Command) Help() string {
	return "Each tools/call goes to the rules first; everything else passes as it is. Without a server it offers " +
		"the daemon's workflows to an agent, on standard input and output. See docs/mcp.md."
}

// Run serves until the client leaves.
func (c *Command) Run(ctx context.Context, con *console.Console) error {
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
	case ways == 0 && c.aboutServers():
		return errors.New("found no server to stand before; expected -- COMMAND, --url URL or --servers FILE")
	case ways == 0:
		return c.serveRuns(ctx, con)
	case ways > 1:
		return errors.New("found more than one of -- COMMAND, --url, --servers and --operator; expected one")
	case c.Operator:
		return c.operate(ctx, con)
	}
	ctx, stop := console.UntilTold(ctx)
	defer stop()
	token, err := c.token()
	if err != nil {
		return err
	}
	behind, err := c.behind(con)
	if err != nil {
		return err
	}
	judge, done, err := c.judge(ctx, con)
	if err != nil {
		return err
	}
	return errors.Join(c.proxy(ctx, con, behind, judge, token), done())
}

// aboutServers says whether a flag was given that is for servers: one was forgotten then.
func (c *Command) aboutServers() bool {
	return c.Name != "" || c.Listen != "" || c.UpstreamToken != "" || c.OAuth || c.Standalone || len(c.Rules) > 0 ||
		c.Dir != "" || c.NoGuard || c.Token != "" || len(c.Host) > 0 || c.OAuthClient != ""
}

// proxy serves one client on standard input and output, or many over HTTP.
func (c *Command) proxy(ctx context.Context, con *console.Console, behind mcp.Backend, daemon *client.Client,
	token string) error {
	pins, err := c.pins()
	if err != nil {
		return err
	}
	proxy, err := mcp.New(mcp.Options{Name: c.name(), Judge: daemon, Capabilities: daemon, Pins: pins, Wait: c.Wait,
		Patience: c.Patience, Logger: slog.New(loglimit.New(slog.NewTextHandler(con.Err,
			&slog.HandlerOptions{Level: slog.LevelWarn})))})
	if err != nil {
		return err
	}
	if c.Listen == "" {
		return proxy.Stdio(ctx, behind, con.In, con.Out)
	}
	return c.serve(ctx, con, proxy, behind, token)
}

// leastToken is the least length of a token, in bytes; that of the API's port is the same.
const leastToken = 32

// token reads what clients over HTTP have to show. An address of this machine alone goes not without: every
// program here reaches it, also one of another user.
func (c *Command) token() (string, error) {
	if c.Listen == "" {
		return "", nil
	}
	if c.Token == "" {
		return "", fmt.Errorf("--listen %s: found no --token; expected --token FILE, a file with at least %d bytes that "+
			"clients send as their bearer token, such as openssl rand -hex 32 makes", c.Listen, leastToken)
	}
	text, err := os.ReadFile(c.Token)
	if err != nil {
		return "", fmt.Errorf("--token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < leastToken {
		return "", fmt.Errorf("--token %s: found a token of %d bytes; expected at least %d", c.Token, len(token),
			leastToken)
	}
	return token, nil
}

// serve serves clients over HTTP until ctx ends.
func (c *Command) serve(ctx context.Context, con *console.Console, proxy *mcp.Proxy, behind mcp.Backend,
	token string) error {
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return err
	}
	h, err := proxy.HTTP(behind, mcp.HTTPOptions{Hosts: c.Host, Token: token})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10}
	gone := make(chan error, 1)
	go func() { gone <- server.Serve(l) }()
	con.Printf("serving http://%s%s\n", l.Addr(), h.Path())
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

// keepOpen is standard input or output for who would close it.
type keepOpen struct {
	io.Reader
	io.Writer
}

func (keepOpen) Close() error { return nil }

// operate serves an operator's agent.
func (c *Command) operate(ctx context.Context, con *console.Console) error {
	d, err := opening.Dial(ctx, opening.RecordFlag{Socket: c.Socket}.Address())
	if err != nil {
		return err
	}
	std := keepOpen{con.In, con.Out}
	err = serve.ForOperator(ctx, operator{d}, opening.Version(), std, std)
	return errors.Join(err, d.Close())
}
