package shelljudge

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notice is struct seccomp_notif: a system call that waits for our answer.
type notice struct {
	ID    uint64
	PID   uint32
	Flags uint32
	NR    int32
	Arch  uint32
	IP    uint64
	Args  [6]uint64
}

// answer is struct seccomp_notif_resp.
type answer struct {
	ID    uint64
	Val   int64
	Error int32
	Flags uint32
}

// install makes the calling thread, and every process that it starts, wait for an
// answer at each watched system call, and returns the descriptor to answer on.
// The caller has locked its goroutine to the thread for good.
func install() (int, error) {
	arch, ok := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !ok {
		return -1, fmt.Errorf("no list of system calls for %s, expected amd64 or arm64", runtime.GOARCH)
	}
	const load, ret = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_RET | unix.BPF_K
	const equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	// Offsets in struct seccomp_data: the number stands first, then the architecture.
	prog := []unix.SockFilter{{Code: load, K: 4}, {Code: equal, Jt: 1, K: arch},
		{Code: ret, K: unix.SECCOMP_RET_KILL_PROCESS}, {Code: load, K: 0}}
	for nr := range watched {
		prog = append(prog, unix.SockFilter{Code: equal, Jf: 1, K: uint32(nr)},
			unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_USER_NOTIF})
	}
	prog = append(prog, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("no new privileges: %w", err)
	}
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER,
		uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(prog)
	if errno != 0 {
		return -1, fmt.Errorf("seccomp listener: %w", errno)
	}
	return int(fd), nil
}

// receive waits for the next notice. It returns false when the last watched
// process and thread are gone.
func receive(fd int, n *notice) (bool, error) {
	for {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err == unix.EINTR {
			continue
		} else if err != nil {
			return false, fmt.Errorf("waiting for system calls: %w", err)
		}
		if poll[0].Revents&unix.POLLIN == 0 {
			return false, nil
		}
		*n = notice{} // the kernel insists
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(n)))
		switch errno {
		case 0:
			return true, nil
		case unix.EINTR, unix.ENOENT: // who called has been killed meanwhile
			continue
		}
		return false, fmt.Errorf("receiving a system call: %w", errno)
	}
}

// waiting says whether the process of a notice still waits for its answer. What was
// read of the process before is that of the notice only if it does (seccomp_unotify(2)).
func waiting(fd int, id uint64) (bool, error) {
	errno := control(fd, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&id))
	if errno != 0 && errno != unix.ENOENT {
		return false, fmt.Errorf("asking whether a process still waits: %w", errno)
	}
	return errno == 0, nil
}

// proceed lets the system call go on, or fail with errno if that is not 0.
func proceed(fd int, id uint64, errno unix.Errno) error {
	a := answer{ID: id, Flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if errno != 0 {
		a.Flags, a.Error = 0, -int32(errno)
	}
	got := control(fd, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a))
	if got != 0 && got != unix.ENOENT {
		return fmt.Errorf("answering a system call: %w", got)
	}
	return nil
}

// control asks the kernel about a notice, again if a signal comes between: the Go
// runtime sends signals to its own threads.
func control(fd int, request uintptr, about unsafe.Pointer) unix.Errno {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(about))
		if errno != unix.EINTR {
			return errno
		}
	}
}
