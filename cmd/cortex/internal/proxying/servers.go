package proxying

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/opencortex-go/cortex/adapters/mcp"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/internal/spell"
)

// serverEntry is one server in the file of --servers.
type serverEntry struct {
	Type     string            `json:"type"` // "stdio" or "http"; "" for the one that the rest says
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Dir      string            `json:"cwd"`
	URL      string            `json:"url"`
	Token    string            `json:"tokenFile"`
	Disabled bool              `json:"disabled"`
}

// entryMembers are the members that an entry may have.
var entryMembers = []string{"type", "command", "args", "env", "cwd", "url", "tokenFile", "disabled"}

// servers reads the file that clients have too, with comments and trailing commas, as they write it. What stands
// beside mcpServers is for the client; in a server's own entry each member counts, so one that is not known is an
// error: it may be what keeps the server from running.
func (c *Command) servers(con *console.Console) (mcp.Backend, error) {
	text, err := os.ReadFile(c.Servers)
	if err != nil {
		return nil, err
	}
	all, err := readServers(text, con)
	if err != nil {
		return nil, fmt.Errorf("--servers %s: %w", c.Servers, err)
	}
	return all, all.Check()
}

// readServers returns the servers that are to run.
func readServers(text []byte, con *console.Console) (mcp.Merge, error) {
	entries, err := entriesOf(text)
	if err != nil {
		return nil, err
	}
	all, off := mcp.Merge{}, 0
	var wrong []error
	for _, m := range entries.Members {
		name := nameOf(m)
		e, err := entryOf(m.Value)
		if err == nil && e.Disabled {
			off++
			continue
		}
		if err == nil {
			all[name], err = e.backend(con)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("the server %q: %w", name, err))
		}
	}
	switch {
	case len(wrong) > 0:
		return nil, errors.Join(wrong...)
	case len(all) == 0 && off > 0:
		return nil, errors.New(`found no server that may run: each has "disabled": true`)
	case len(all) == 0:
		return nil, errors.New(`found no servers; expected {"mcpServers": {"NAME": {"command": ..., "args": [...]}}}`)
	}
	return all, nil
}

// entriesOf is the object of the servers.
func entriesOf(text []byte) (*hujson.Object, error) {
	v, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	v.Standardize()
	top, err := membersOf(v)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range top.Members {
		if nameOf(m) == "mcpServers" {
			return membersOf(m.Value)
		}
		names = append(names, nameOf(m))
	}
	return nil, fmt.Errorf(`found no mcpServers among the members %q; expected {"mcpServers": {"NAME": {"command": ..., `+
		`"args": [...]}}}`, names)
}

// membersOf is an object none of whose members stands in it twice.
func membersOf(v hujson.Value) (*hujson.Object, error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("found %.40s; expected an object", v.Pack())
	}
	seen := map[string]bool{}
	for _, m := range o.Members {
		if seen[nameOf(m)] {
			return nil, fmt.Errorf("the member %q stands in it twice", nameOf(m))
		}
		seen[nameOf(m)] = true
	}
	return o, nil
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// entryOf reads one server.
func entryOf(v hujson.Value) (e serverEntry, err error) {
	o, err := membersOf(v)
	if err != nil {
		return e, err
	}
	var odd []string
	for _, m := range o.Members {
		if name := nameOf(m); !slices.Contains(entryMembers, name) {
			odd = append(odd, fmt.Sprintf("%q%s", name, spell.DidYouMean(name, entryMembers)))
		}
	}
	if len(odd) > 0 {
		return e, fmt.Errorf("found the unknown member %s; expected %s", strings.Join(odd, " and "),
			strings.Join(entryMembers, ", "))
	}
	return e, json.Unmarshal(v.Pack(), &e)
}

// backend is the server of an entry.
func (e serverEntry) backend(con *console.Console) (mcp.Backend, error) {
	switch {
	case (e.Command == "") == (e.URL == ""):
		return nil, errors.New("expected either a command or a url")
	case e.Type != "" && !slices.Contains(e.types(), e.Type):
		return nil, fmt.Errorf("found the type %q; expected %s", e.Type, strings.Join(e.types(), " or "))
	case e.URL != "":
		return mcp.NewRemote(e.URL, mcp.RemoteOptions{Token: e.Token})
	}
	env := os.Environ()
	for k, v := range e.Env {
		env = append(env, k+"="+v)
	}
	return mcp.Command{Args: append([]string{e.Command}, e.Args...), Env: env, Dir: e.Dir, Err: con.Err}, nil
}

// types are the names that clients have for how an entry's server is reached.
func (e serverEntry) types() []string {
	if e.URL != "" {
		return []string{"http", "streamable-http", "streamableHttp"}
	}
	return []string{"stdio"}
}
