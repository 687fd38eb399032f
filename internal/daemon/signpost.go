package daemon

import (
	"os"
	"path/filepath"
	"strings"
)

// holder names the socket of the daemon that holds a record.
func holder(dir string) string {
	if socket, err := SocketOf(dir); err == nil {
		return "; a daemon on it was last reached at " + socket
	}
	return ""
}

// signpostName is the file in a record's folder that names the socket of its
// daemon.
const signpostName = "daemon.socket"

// SocketOf returns the socket of the daemon that holds the record in dir, or held
// it last.
func SocketOf(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, signpostName))
	return strings.TrimSpace(string(text)), err
}

// signpost writes that file, so that clients that know the record find its daemon.
func (d *daemon) signpost() error {
	name := filepath.Join(d.cfg.Dir, signpostName)
	if err := os.WriteFile(name+".new", []byte(d.cfg.Socket+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
