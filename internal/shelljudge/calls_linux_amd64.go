package shelljudge

import "golang.org/x/sys/unix"

func legacy(m map[int]call) map[int]call {
	m[unix.SYS_OPEN] = opening(path1("open", Open, 0), 1)
	m[unix.SYS_CREAT] = path1("creat", Write, 0)
	m[unix.SYS_UNLINK] = path1("unlink", Write, 0)
	m[unix.SYS_RMDIR] = path1("rmdir", Write, 0)
	m[unix.SYS_MKDIR] = path1("mkdir", Write, 0)
	m[unix.SYS_MKNOD] = path1("mknod", Write, 0)
	m[unix.SYS_RENAME] = second(path1("rename", Write, 0), -1, 1)
	m[unix.SYS_RENAMEAT] = second(at("renameat", Write, 0), 2, 3)
	m[unix.SYS_LINK] = second(path1("link", Write, 0), -1, 1)
	m[unix.SYS_SYMLINK] = path1("symlink", Write, 1)
	m[unix.SYS_CHMOD] = path1("chmod", Write, 0)
	m[unix.SYS_CHOWN] = path1("chown", Write, 0)
	m[unix.SYS_LCHOWN] = path1("lchown", Write, 0)
	return m
}
