package proxying

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/adapters/mcp"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
)

// behind is the server or servers.
func (c *Command) behind(con *console.Console) (mcp.Backend, error) {
	switch {
	case c.URL != "":
		opt := mcp.RemoteOptions{Token: c.UpstreamToken}
		if c.OAuth {
			o, err := c.oauth(con)
			if err != nil {
				return nil, err
			}
			opt.OAuth = o
		}
		return mcp.NewRemote(c.URL, opt)
	case c.Servers != "":
		return c.servers(con)
	}
	return mcp.Command{Args: c.Command, Err: con.Err}, nil
}

// oauth is how to log in.
func (c *Command) oauth(con *console.Console) (*mcp.OAuth, error) {
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
		Say: con.Err}, nil
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
func (c *Command) name() string {
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
func (c *Command) pins() (string, error) {
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
