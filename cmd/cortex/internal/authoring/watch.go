package authoring

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// watchEvery is how often the files of rules are looked at.
const watchEvery = 300 * time.Millisecond

// Watch runs f, and again whenever a rule file at or below one of the paths has changed,
// until ctx ends. It tells f how often it ran before. It reads the files, so that it works
// on every file system; one that changes while f runs is seen afterwards.
func Watch(ctx context.Context, paths []string, f func(before int)) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var last [sha256.Size]byte
	for runs := 0; ; {
		if now := fingerprint(paths); runs == 0 || now != last {
			last = now
			f(runs)
			runs++
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// fingerprint is of the names and the bytes of all rule files. What cannot be read counts
// as empty.
func fingerprint(paths []string) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, root := range paths {
		if info, err := os.Stat(root); err == nil && !info.IsDir() {
			root = filepath.Dir(root) // for what it includes
		}
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".lisp") {
				return nil
			}
			data, _ := os.ReadFile(path)
			h.Write([]byte(path + "\x00"))
			h.Write(data)
			return nil
		})
	}
	h.Sum(sum[:0])
	return sum
}
