//go:build unix

package daemon

import (
	"io/fs"
	"syscall"
)

// owner returns the uid that a file belongs to.
func owner(info fs.FileInfo) (uid int, known bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}
