package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/adapters/llm"
	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/control"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// Control configures the control plane of capabilities; see [control.Options]. Without a URL there is
// none, and nothing of them leaves the daemon.
type Control struct {
	URL     string       `toml:"url"`
	KeyFile string       `toml:"key_file"` // of the key that goes along with each call
	Project string       `toml:"project"`  // whose capabilities are shared here
	Timeout llm.Duration `toml:"timeout"`  // of one call; 0 is the default
	Every   llm.Duration `toml:"every"`    // between two looks at what is shared; 0 is the default
}

// maxKey bounds the file of a key, in bytes.
const maxKey = 4096

// plane returns the control plane, or nil if none is set up.
func (c *Control) plane(log *slog.Logger) (*control.Plane, error) {
	if c.URL == "" {
		if *c != (Control{}) {
			return nil, errors.New("url is missing, and the other settings are for it")
		}
		return nil, nil //nolint:nilnil // there is none
	}
	if c.KeyFile == "" {
		return nil, errors.New("key_file is missing: the file of the key that the plane takes")
	}
	info, err := os.Stat(c.KeyFile)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().Perm()&0o007 != 0:
		return nil, fmt.Errorf("everybody can read %s (mode %04o); chmod o-rwx %s", c.KeyFile, info.Mode().Perm(), c.KeyFile)
	case info.Size() > maxKey:
		return nil, fmt.Errorf("%s: %d bytes, expected a key", c.KeyFile, info.Size())
	}
	key, err := os.ReadFile(c.KeyFile)
	if err != nil {
		return nil, err
	}
	return control.New(control.Options{URL: c.URL, Key: strings.TrimSpace(string(key)), Project: c.Project,
		Timeout: time.Duration(c.Timeout), Every: time.Duration(c.Every), Logger: log})
}

// withCapabilities makes the capabilities of the engine, under the control plane if there is one.
func (d *daemon) withCapabilities() (*capabilities.Capabilities, error) {
	var err error
	if d.plane, err = d.cfg.Control.plane(d.log); err != nil {
		return nil, err
	}
	if d.caps = capabilities.New(); d.plane != nil {
		d.caps = capabilities.Under(d.plane)
	}
	d.caps.Mask = secrets.NewMask()
	return d.caps, nil
}

// degraded says, for health checks, that the control plane is lost; nil without one.
func (d *daemon) degraded() func() error {
	if d.plane == nil {
		return nil
	}
	return d.plane.Trouble
}
