package main

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// offline is the program in a cage: the kernel ends the process when it, or what it starts, makes a socket of
// another family than that of Unix.
func offline() {
	if err := cage(); err != nil {
		fmt.Fprintln(os.Stderr, "no cage:", err)
		os.Exit(1)
	}
	main()
}

// cage puts the filter on all threads of the process.
func cage() error {
	const number, family = 0, 16 // of the system call, and its first argument, in what the filter sees
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	equal := func(to uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: to, Jt: yes, Jf: no}
	}
	end := func(how uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: how} }
	filter := []unix.SockFilter{load(number), equal(unix.SYS_SOCKET, 0, 2), load(family), equal(unix.AF_UNIX, 0, 1),
		end(unix.SECCOMP_RET_ALLOW), end(unix.SECCOMP_RET_KILL_PROCESS)}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, no := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&prog))); no != 0 {
		return no
	}
	return nil
}

// caged starts the daemon in the cage.
func (pl place) caged() *running {
	pl.t.Helper()
	out, err := command(pl, "approvals", "pair", "--dir", "state", "--secret", "secret").CombinedOutput()
	require.NoError(pl.t, err, string(out))
	cmd := command(pl, "serve", "--config", "c.toml", "--json", "--no-guard")
	cmd.Path, err = os.Executable()
	require.NoError(pl.t, err)
	cmd.Args[0] = "offline" // under this name a test binary is that program
	return pl.started(cmd)
}

// R37: without a control plane nothing leaves the process, and everything works: capabilities are registered,
// tested, tried, called by a model, asked about and run.
func TestR37_CapabilitiesWorkOffline(t *testing.T) {
	pl := newPlace(t)
	pl.write("work/index.html", "old\n")
	pl.write("work/next.html", "new\n")
	pl.write("script.lisp", `
(:form (:type :request :target :tool :payload (:tool "site.publish" :args (:page "next.html")) :explanation "as asked") :when ("publish"))
(:reply "published" :repeat t)`)
	r := pl.caged()
	pl.publishes()
	out, err := command(pl, "repl", "--socket", "run/c.sock", `(say "publish the new page")`).CombinedOutput()
	require.NoError(t, err, string(out))
	pl.answers("approve", pl.card("site.publish"))
	require.Eventually(t, func() bool {
		_, err := os.Stat(pl.path("work/far.html"))
		return err == nil
	}, time.Minute, 20*time.Millisecond)
	out, err = command(pl, "capability", "stats", "--socket", "run/c.sock").CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "site.publish  1 calls")
	select {
	case <-r.done:
		t.Fatal("the daemon has ended: ", r.log)
	default:
	}
}

// The control: the same daemon with a model elsewhere is ended when it asks it.
func TestR37_TheCageSeesASocket(t *testing.T) {
	pl := newPlace(t)
	pl.alter("c.toml", "kind = \"scripted\"\nfile = \"script.lisp\"",
		"kind = \"openai\"\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"")
	r := pl.caged()
	out, _ := command(pl, "repl", "--socket", "run/c.sock", `(say "hello")`).CombinedOutput() // the daemon may be gone
	select {
	case <-r.done:
	case <-time.After(10 * time.Second):
		t.Fatal("the daemon made a socket, and was let: ", string(out), r.log)
	}
	status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	assert.Equal(t, unix.SIGSYS, status.Signal())
}
