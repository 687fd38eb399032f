package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/keyfile"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/plugins"
)

// recordFlag names a record: by its folder, or by the socket of the daemon that
// holds it. Only one process can hold a folder; while a daemon does, a command
// that names the folder goes through that daemon's socket.
type recordFlag struct {
	Dir    string `name:"dir" xor:"record" placeholder:"FOLDER" help:"The folder of the record. While a daemon holds it, the daemon's socket is used."`
	Socket string `name:"socket" xor:"record" placeholder:"PATH" help:"The socket of the daemon that holds the record; the default where neither is given."`
}

// open returns the record in the folder, by what opens it, or a client of the
// daemon that holds it: one of the two.
func openRecord[T any](ctx context.Context, f recordFlag, byFolder func(dir string) (T, error)) (local T,
	c *client.Conn, err error) {
	if f.Dir == "" {
		c, err = dial(ctx, f.socket())
		return local, c, err
	}
	if err := exists(f.Dir); err != nil {
		return local, nil, err
	}
	local, err = byFolder(f.Dir)
	if !errors.Is(err, store.ErrInUse) {
		return local, nil, err
	}
	if socket, lost := daemon.SocketOf(f.Dir); lost == nil {
		var away *noDaemon
		if c, lost = dial(ctx, socket); !errors.As(lost, &away) {
			return local, c, lost
		}
	}
	return local, nil, inUse(f.Dir)
}

// socket is the plain socket of the daemon.
func (f recordFlag) socket() string {
	if f.Socket == "" {
		return socket.Default()
	}
	return f.Socket
}

// daemonUser is the variable that names the account of the daemon, where it is
// another than the caller's: an operator with an account of their own sets it.
const daemonUser = "CORTEX_DAEMON_USER"

// patience is how long a daemon may take to let somebody in.
const patience = 5 * time.Second

// dial connects to a daemon. Where none is there, exit code 4 tells.
func dial(ctx context.Context, socket string) (*client.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var also []int
	uid, err := daemon.Operator{User: os.Getenv(daemonUser)}.UID()
	if err != nil {
		return nil, fmt.Errorf("$%s: %w", daemonUser, err)
	}
	if uid != nil {
		also = append(also, *uid)
	}
	c, err := client.Dial(ctx, socket, also...)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, &noDaemon{socket}
	}
	return c, err
}

// noDaemon says that no daemon serves a socket.
type noDaemon struct{ socket string }

func (a *noDaemon) Error() string {
	return fmt.Sprintf("no daemon serves %s; `cortex serve` starts one, and --socket or --dir name another", a.socket)
}

// readable opens the record in a folder, and one that cannot be written to, such as a copy
// on a read-only mount, to be read: that is said, and nothing in it changes.
func readable[T any](p *program, open func(dir string, readOnly bool) (T, error)) func(dir string) (T, error) {
	return func(dir string) (T, error) {
		v, err := open(dir, false)
		if errors.Is(err, store.ErrNotWritable) {
			p.Warnf("cortex: %v; it is read as it is, and nothing in it changes\n", err)
			return open(dir, true)
		}
		return v, err
	}
}

// engineIn opens the record in a folder to look at it and to answer approvals:
// nothing is decided, resumed or run. The caller closes it.
func engineIn(p *program) func(dir string) (*cortex.Engine, error) {
	return readable(p, func(dir string, readOnly bool) (*cortex.Engine, error) {
		opt := cortex.Options{Dir: dir, Inspect: true, ReadOnly: readOnly, Functions: daemon.Functions(),
			Plugins: plugins.Recorded{}}
		keys, err := keyfile.Open(daemon.KeysFile(dir))
		if err != nil {
			return nil, err
		}
		opt.Keys = keys
		return cortex.Open(p.ctx, opt)
	})
}

// offline opens a record that no daemon holds; doing says what for. The caller closes it.
func offline(p *program, f recordFlag, doing string) (*cortex.Engine, error) {
	e, d, err := openRecord(p.ctx, f, engineIn(p))
	if d != nil {
		return nil, errors.Join(fmt.Errorf("%s a record that no daemon holds; stop it, or copy the folder, and name "+
			"the folder with --dir", doing), d.Close())
	}
	return e, damaged(p, err)
}

// journalIn opens the record itself, without rules. The caller closes it.
func journalIn(p *program) func(dir string) (*journal.Journal, error) {
	return readable(p, func(dir string, readOnly bool) (*journal.Journal, error) {
		st, err := store.Open(dir, store.Options{ReadOnly: readOnly})
		if err != nil {
			return nil, err
		}
		j, err := journal.Open(st, journal.Options{})
		if err != nil {
			return nil, errors.Join(err, st.Close())
		}
		return j, nil
	})
}

// exists keeps a mistyped folder from becoming an empty record.
func exists(dir string) error {
	there, err := store.Exists(dir)
	if err == nil && !there {
		return fmt.Errorf("--dir %s: there is no record in it", dir)
	}
	return err
}

func inUse(dir string) error {
	return fmt.Errorf("--dir %s: another process is using this record; where it serves a socket, --socket PATH in "+
		"place of --dir goes through it", dir)
}
