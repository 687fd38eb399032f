//go:build !unix

package daemon

import "io/fs"

// owner is not known where uids are not.
func owner(fs.FileInfo) (uid int, known bool) { return 0, false }
