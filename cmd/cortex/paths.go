package main

import (
	"os"
	"path/filepath"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/internal/socket"
)

// pathsCmd says where things are, so that scripts need not know the rules.
type pathsCmd struct {
	Dir    string `name:"dir" placeholder:"FOLDER" help:"The folder of a record: shows the file of its secret too."`
	Socket string `name:"socket" placeholder:"PATH" help:"The plain socket, if it is another than the default."`
}

// Run prints one path a line. Whether there is something at it is not looked at.
func (c *pathsCmd) Run(p *program) error {
	plain := opening.RecordFlag{Socket: c.Socket}.Address()
	config, err := os.UserConfigDir()
	if err != nil {
		return err
	}
	type path struct{ name, path string }
	list := []path{
		{"config", filepath.Join(config, "cortex")}, {"socket", plain}, {"approvals", socket.Approvals(plain)},
		{"api", socket.API(plain)}, {"nrepl", socket.Nrepl(plain)},
	}
	if c.Dir != "" {
		secret, err := daemon.SecretFile(c.Dir)
		if err != nil {
			return err
		}
		list = append(list, path{"secret", secret})
	}
	if p.JSON {
		out := map[string]string{}
		for _, x := range list {
			out[x.name] = x.path
		}
		return p.Print(out)
	}
	for _, x := range list {
		p.Printf("%-10s %s\n", x.name, x.path)
	}
	return p.Unsaid
}
