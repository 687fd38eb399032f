package opening

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/keyfile"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/plugins"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// RecordFlag names a record: by its folder, or by the socket of the daemon that
// holds it. Only one process can hold a folder; while a daemon does, a command
// that names the folder goes through that daemon's socket.
type RecordFlag struct {
	Dir    string `name:"dir" xor:"record" placeholder:"FOLDER" help:"The folder of the record. While a daemon holds it, the daemon's socket is used."`
	Socket string `name:"socket" xor:"record" placeholder:"PATH" help:"The socket of the daemon that holds the record; the default where neither is given."`
}

// OpenRecord returns the record in the folder, by what opens it, or a client of the
// daemon that holds it: one of the two.
func OpenRecord[T any](ctx context.Context, f RecordFlag, byFolder func(dir string) (T, error)) (local T,
	c *client.Conn, err error) {
	if f.Dir == "" {
		c, err = Dial(ctx, f.Address())
		return local, c, err
	}
	if err := Exists(f.Dir); err != nil {
		return local, nil, err
	}
	local, err = byFolder(f.Dir)
	if !errors.Is(err, store.ErrInUse) {
		return local, nil, err
	}
	if socket, lost := daemon.SocketOf(f.Dir); lost == nil {
		var away *NoDaemon
		if c, lost = Dial(ctx, socket); !errors.As(lost, &away) {
			return local, c, lost
		}
	}
	return local, nil, InUse(f.Dir)
}

// Address is the plain socket of the daemon.
func (f RecordFlag) Address() string {
	if f.Socket == "" {
		return socket.Default()
	}
	return f.Socket
}

// DaemonUser is the variable that names the account of the daemon, where it is
// another than the caller's: an operator with an account of their own sets it.
const DaemonUser = "CORTEX_DAEMON_USER"

// Patience is how long a daemon may take to let somebody in.
const Patience = 5 * time.Second

// Dial connects to a daemon. Where none is there, exit code 4 tells.
func Dial(ctx context.Context, socket string) (*client.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	var also []int
	uid, err := daemon.Operator{User: os.Getenv(DaemonUser)}.UID()
	if err != nil {
		return nil, fmt.Errorf("$%s: %w", DaemonUser, err)
	}
	if uid != nil {
		also = append(also, *uid)
	}
	c, err := client.Dial(ctx, socket, also...)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, &NoDaemon{socket}
	}
	return c, err
}

// NoDaemon says that no daemon serves a socket.
type NoDaemon struct{ Socket string }

func (a *NoDaemon) Error() string {
	return fmt.Sprintf("no daemon serves %s; `cortex serve` starts one, and --socket or --dir name another", a.Socket)
}

// Readable opens the record in a folder, and one that cannot be written to, such as a copy
// on a read-only mount, to be read: that is said, and nothing in it changes.
func Readable[T any](con *console.Console,
	open func(dir string, readOnly bool) (T, error)) func(dir string) (T, error) {
	return func(dir string) (T, error) {
		v, err := open(dir, false)
		if errors.Is(err, store.ErrNotWritable) {
			con.Warnf("cortex: %v; it is read as it is, and nothing in it changes\n", err)
			return open(dir, true)
		}
		return v, err
	}
}

// EngineIn opens the record in a folder to look at it and to answer approvals:
// nothing is decided, resumed or run. The caller closes it.
func EngineIn(ctx context.Context, con *console.Console) func(dir string) (*cortex.Engine, error) {
	return EngineWith(ctx, con, capabilities.New())
}

// EngineWith is [EngineIn] with capabilities that the caller goes on to ask.
func EngineWith(ctx context.Context, con *console.Console, caps *capabilities.Capabilities) func(dir string) (
	*cortex.Engine, error) {
	return Readable(con, func(dir string, readOnly bool) (*cortex.Engine, error) {
		opt := cortex.Options{Dir: dir, Inspect: true, ReadOnly: readOnly, Functions: daemon.Functions(),
			Plugins: plugins.Recorded{}, Capabilities: caps}
		keys, err := keyfile.Open(daemon.KeysFile(dir))
		if err != nil {
			return nil, err
		}
		opt.Keys, opt.FindSecrets = keys, secrets.NewFinder()
		return cortex.Open(ctx, opt)
	})
}

// JournalIn opens the record itself, without rules. The caller closes it.
func JournalIn(con *console.Console) func(dir string) (*journal.Journal, error) {
	return Readable(con, func(dir string, readOnly bool) (*journal.Journal, error) {
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

// Exists keeps a mistyped folder from becoming an empty record.
func Exists(dir string) error {
	there, err := store.Exists(dir)
	if err == nil && !there {
		return fmt.Errorf("--dir %s: there is no record in it", dir)
	}
	return err
}

// InUse says that another process holds a folder.
func InUse(dir string) error {
	return fmt.Errorf("--dir %s: another process is using this record; where it serves a socket, --socket PATH in "+
		"place of --dir goes through it", dir)
}

// Offline opens a record that no daemon holds; doing says what for. The caller closes it.
func Offline(ctx context.Context, p *console.Console, f RecordFlag, doing string) (*cortex.Engine, error) {
	e, d, err := OpenRecord(ctx, f, EngineIn(ctx, p))
	if d != nil {
		return nil, errors.Join(fmt.Errorf("%s a record that no daemon holds; stop it, or copy the folder, and name "+
			"the folder with --dir", doing), d.Close())
	}
	return e, Damaged(p, err)
}
