package shelljudge

import "golang.org/x/sys/unix"

// call says where the parts of a watched system call stand among its arguments;
// -1 is nowhere. A folder of -1 is the process's own.
type call struct {
	name        string
	sort        Sort
	dir, path   int
	flags       int // of an open
	dir2, path2 int
	argv        int
}

// path1 is a call with one path and no folder.
func path1(name string, sort Sort, path int) call {
	return call{name: name, sort: sort, dir: -1, path: path, flags: -1, dir2: -1, path2: -1, argv: -1}
}

func at(name string, sort Sort, dir int) call {
	c := path1(name, sort, dir+1)
	c.dir = dir
	return c
}

func opening(c call, flags int) call { c.flags = flags; return c }

func second(c call, dir, path int) call { c.dir2, c.path2 = dir, path; return c }

func starting(c call, argv int) call { c.argv = argv; return c }

// watched are the system calls that stop a process until its call is noted, on
// every architecture; legacy adds those that only old ones have.
var watched = legacy(map[int]call{
	unix.SYS_EXECVE:     starting(path1("execve", Exec, 0), 1),
	unix.SYS_EXECVEAT:   starting(at("execveat", Exec, 0), 2),
	unix.SYS_OPENAT:     opening(at("openat", Open, 0), 2),
	unix.SYS_OPENAT2:    at("openat2", Write, 0), // its flags stand in a struct: taken for the worst
	unix.SYS_CHDIR:      path1("chdir", Chdir, 0),
	unix.SYS_CHROOT:     path1("chroot", Chdir, 0),
	unix.SYS_TRUNCATE:   path1("truncate", Write, 0),
	unix.SYS_UNLINKAT:   at("unlinkat", Write, 0),
	unix.SYS_MKDIRAT:    at("mkdirat", Write, 0),
	unix.SYS_MKNODAT:    at("mknodat", Write, 0),
	unix.SYS_RENAMEAT2:  second(at("renameat2", Write, 0), 2, 3),
	unix.SYS_LINKAT:     second(at("linkat", Write, 0), 2, 3),
	unix.SYS_SYMLINKAT:  at("symlinkat", Write, 1),
	unix.SYS_FCHMODAT:   at("fchmodat", Write, 0),
	unix.SYS_FCHOWNAT:   at("fchownat", Write, 0),
	unix.SYS_CONNECT:    path1("connect", Net, -1),
	unix.SYS_BIND:       path1("bind", Net, -1),
	unix.SYS_KILL:       path1("kill", Kill, -1),
	unix.SYS_MOUNT:      path1("mount", Write, 1),
	unix.SYS_UMOUNT2:    path1("umount2", Write, 0),
	unix.SYS_SETXATTR:   path1("setxattr", Write, 0),
	unix.SYS_PIVOT_ROOT: path1("pivot_root", Write, 0),
})
