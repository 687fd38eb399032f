package sandbox

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What Landlock knows, by the version of it that the kernel has.
const (
	filesV1  = 1<<13 - 1
	files3   = filesV1 | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	files5   = files3 | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	readFile = unix.LANDLOCK_ACCESS_FS_READ_FILE
	readTree = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_EXECUTE
)

// libraries are what programs need to start: interpreters, shared objects, time
// zones. There is nothing of anybody's in them.
var libraries = []string{
	"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf",
	"/dev/urandom", "/dev/random", "/dev/zero",
}

// fenceFiles restricts this thread, and whatever it starts, to reading libraries
// and what is granted, and to writing in the child's own folder. The thread must
// not be used for anything else afterwards.
//
// A library for Landlock restricts every thread of a process. Here one thread must
// be restricted and the others must not, so these are the three system calls.
func fenceFiles(s Spec) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return errno
	}
	handled := uint64(files5)
	switch {
	case version < 3:
		return errors.New("landlock cannot keep files from being cut short here")
	case version < 5:
		handled = files3
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)),
		unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return errno
	}
	defer func() { _ = unix.Close(int(ruleset)) }()
	if err := beneath(int(ruleset), s.Dir, handled); err != nil {
		return err
	}
	if err := beneath(int(ruleset), "/dev/null", readFile|unix.LANDLOCK_ACCESS_FS_WRITE_FILE); err != nil {
		return err
	}
	for _, path := range append(libraries[:len(libraries):len(libraries)], s.Read...) {
		if err := beneath(int(ruleset), path, readTree); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// beneath allows access to a file, or to all beneath a folder.
func beneath(ruleset int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= readFile | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
