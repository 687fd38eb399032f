package crashtest

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Unpack unpacks an archive of a record's folder, a tar.gz, into a folder of the test's own.
func Unpack(t testing.TB, archive string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	f, err := os.Open(archive)
	must(t, err)
	defer func() { _ = f.Close() }()
	zipped, err := gzip.NewReader(f)
	must(t, err)
	for in := tar.NewReader(zipped); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		must(t, err)
		if !filepath.IsLocal(head.Name) {
			t.Fatalf("%s leads out of the folder", head.Name)
		}
		path := filepath.Join(dir, head.Name)
		if head.Typeflag == tar.TypeDir {
			must(t, os.MkdirAll(path, 0o700))
			continue
		}
		raw, err := io.ReadAll(in)
		must(t, err, os.WriteFile(path, raw, 0o600))
	}
}
