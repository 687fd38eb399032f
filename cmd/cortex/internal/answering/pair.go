package answering

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/internal/socket"
)

// SecretFlag says where the operator's pairing secret is kept. It must be a
// place that no tool may read.
type SecretFlag struct {
	Secret string `name:"secret" placeholder:"FILE" help:"File of the pairing secret; by default one for each record in your configuration folder."`
}

// file is the secret's file for a record, by the name that [socket.RecordID] gives
// it.
func (s SecretFlag) file(record string) (string, error) {
	if s.Secret != "" {
		return s.Secret, nil
	}
	path, err := daemon.SecretFileOf(record)
	if err != nil {
		return "", fmt.Errorf("where to keep the pairing secret: %w; name a file with --secret", err)
	}
	return path, nil
}

// pairing makes the secret that every answer carries.
type pairing struct {
	Dir string `name:"dir" required:"" placeholder:"FOLDER" help:"The folder of the record; it is made if there is none. No daemon may hold it."`
	SecretFlag
	Force bool `help:"Replace a secret that was lost; the old one is worthless from then on."`
}

// Run makes the secret and keeps it in a file that only its owner may read. The
// file is made first, so that a secret in force is never lost.
func (c *pairing) Run(ctx context.Context, p *console.Console) error {
	record, err := socket.RecordID(c.Dir)
	if err != nil {
		return err
	}
	path, err := c.file(record)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if c.Force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; with --force a new secret takes its place", path)
	}
	if err != nil {
		return err
	}
	e, err := opening.EngineIn(ctx, p)(c.Dir)
	if errors.Is(err, store.ErrInUse) {
		err = fmt.Errorf("%w; stop the daemon, pair, and start it again", opening.InUse(c.Dir))
	}
	if err != nil {
		if !c.Force {
			err = errors.Join(err, os.Remove(path))
		}
		return errors.Join(opening.Damaged(p, err), f.Close())
	}
	from, secret := "", ""
	if !c.Force && c.Secret == "" {
		from, secret = moved(e, path)
	}
	if from == "" {
		secret, err = e.Approvals().Pair(ctx, c.Force)
	}
	if err == nil {
		_, err = fmt.Fprintln(f, secret)
	} else if !c.Force { // a file without a secret would stand in the way of the next try
		err = errors.Join(fmt.Errorf("%w; if the folder of the record was moved, name the file of its secret: --secret FILE",
			err), os.Remove(path))
	}
	if err := errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close(), e.Close()); err != nil {
		return err
	}
	if p.JSON {
		return p.Print(map[string]any{"secret": path})
	}
	if from != "" {
		p.Printf("paired already: the secret was in %s, and is in %s too\n", from, path)
		return nil
	}
	p.Printf("paired: the secret is in %s\n", path)
	return nil
}

// moved finds the secret that a record was paired with among the files beside its own, which are named after
// the folders of records: one that was moved has another name. It returns the file too; "" if there is none.
// The record is open in this process, so a secret is shown to no other.
func moved(e *cortex.Engine, path string) (file, secret string) {
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "operator-*")) // the pattern is well formed
	for _, file := range all {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue
		}
		secret, err := readSecret(file)
		if err != nil || secret == "" {
			continue
		}
		if _, err := e.Approvals().Operator(secret, "cli"); err == nil {
			return file, secret
		}
	}
	return "", ""
}

// readSecret reads a file that only its owner may read.
func readSecret(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s can be read by others (mode %04o); make it 0600, or pair anew with --force", path,
			info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	return strings.TrimSpace(string(text)), err
}

// operator is anyone who presents the pairing secret: from its file, or typed.
func (s SecretFlag) operator(p *console.Console, dir string, e *cortex.Engine) (who cortex.Approver, err error) {
	record, err := socket.RecordID(dir)
	if err != nil {
		return who, err
	}
	if path, err := s.file(record); err == nil && s.Secret == "" {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if from, secret := moved(e, path); from != "" {
				return e.Approvals().Operator(secret, "cli")
			}
		}
	}
	secret, err := s.ReadFor(p, record)
	if err != nil {
		return who, fmt.Errorf("%w; `cortex approvals pair --dir %s` makes one", err, dir)
	}
	who, err = e.Approvals().Operator(secret, "cli")
	if err != nil {
		return who, fmt.Errorf("%w; `cortex approvals pair --dir %s` makes one for this record", err, dir)
	}
	return who, nil
}

// ReadFor reads the pairing secret of a record.
func (s SecretFlag) ReadFor(p *console.Console, record string) (string, error) {
	path, err := s.file(record)
	if err != nil {
		return "", err
	}
	secret, err := readSecret(path)
	in, typed := p.In.(*os.File)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return secret, err
	case s.Secret == "" && typed && term.IsTerminal(int(in.Fd())):
		return typeSecret(in, p.Err)
	}
	return "", fmt.Errorf("no pairing secret in %s; if the folder of the record was moved, "+
		"`cortex approvals pair` finds the one that fits, once no daemon holds it", path)
}

// typeSecret has the secret typed, without showing it. Ctrl-C and Ctrl-D give up.
func typeSecret(in *os.File, out io.Writer) (string, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(int(in.Fd()), before) }() // the program is ending
	line, err := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, "").ReadPassword("pairing secret: ")
	if errors.Is(err, io.EOF) {
		err = errors.New("no pairing secret was typed")
	}
	return strings.TrimSpace(line), err
}
