package shelljudge

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	Inside()
	os.Exit(m.Run())
}

// TestAProcessThatIsKilledWhileItWaits reads a call whose process does not wait any
// more: what could be read of it, perhaps in part, does not count. Memory that cannot
// be read at all ends the reading.
func TestAProcessThatIsKilledWhileItWaits(t *testing.T) {
	s, err := kit(t).Start(Shells[0], 0)
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	file, empty := []byte("/bin/ls\x00"), []byte{0}
	argv := []*byte{&file[0], &empty[0], nil}
	n := notice{ID: 1 << 40, PID: uint32(os.Getpid()), NR: unix.SYS_EXECVE}
	n.Args[0], n.Args[1] = uint64(uintptr(unsafe.Pointer(&file[0]))), uint64(uintptr(unsafe.Pointer(&argv[0])))
	w := &watcher{root: fmt.Sprintf("/proc/%d/root", s.proc.Process.Pid), images: map[uint32]string{},
		tried: map[string]bool{}}
	s.mu.Lock()
	s.watch = w
	s.mu.Unlock()
	errno, err := s.note(&n)
	require.NoError(t, err)
	assert.Zero(t, errno)
	assert.Empty(t, w.events)
	assert.True(t, w.cut)
	w.note(&n)
	require.Len(t, w.events, 1, "the notice would be one if its process waited")
	assert.Equal(t, []string{"/bin/ls", ""}, w.events[0].Args)
	n.Args[1] = 8 // no list of arguments can be read there
	w.note(&n)
	assert.Len(t, w.events, 1)
	runtime.KeepAlive(argv)
}

// BenchmarkRun is what one line in one shell costs.
func BenchmarkRun(b *testing.B) {
	k := kit(b)
	for _, sh := range Shells {
		s, err := k.Start(sh, 0)
		require.NoError(b, err)
		for _, line := range []string{":", "ls a", "ls a > out"} {
			b.Run(sh.Name+"/"+line, func(b *testing.B) {
				for b.Loop() {
					_, err := s.Run(line)
					require.NoError(b, err)
				}
			})
		}
		require.NoError(b, s.Close())
	}
}
