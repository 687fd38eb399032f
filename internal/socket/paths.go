package socket

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
)

// Default returns the path of the plain socket where none is named:
// CORTEX_SOCKET, else a file in the folder that the system keeps for the user's
// sockets, else one in the user's state.
func Default() string {
	if path := os.Getenv("CORTEX_SOCKET"); path != "" {
		return path
	}
	return filepath.Join(runtimeDir(), "cortex.sock")
}

func runtimeDir() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		return filepath.Join(dir, "cortex")
	}
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "cortex", "run")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = string(filepath.Separator)
	}
	return filepath.Join(home, ".local", "state", "cortex", "run")
}

// Approvals returns the path of the approval socket that belongs to a plain
// one: beside it, "cortex-approve.sock" for "cortex.sock".
func Approvals(socket string) string { return beside(socket, "-approve") }

// Nrepl returns the path of the nREPL socket that belongs to a plain one:
// beside it, "cortex-nrepl.sock" for "cortex.sock".
func Nrepl(socket string) string { return beside(socket, "-nrepl") }

// API returns the path of the socket for programs that speak JSON over HTTP: beside the
// plain one, "cortex-api.sock" for "cortex.sock".
func API(socket string) string { return beside(socket, "-api") }

func beside(socket, what string) string {
	const ext = ".sock"
	if filepath.Ext(socket) == ext {
		return socket[:len(socket)-len(ext)] + what + ext
	}
	return socket + what
}

// RecordID returns the twelve hex digits by which clients and files of secrets
// name the record in a folder.
func RecordID(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(abs))
	return hex.EncodeToString(sum[:6]), nil
}
