package console

import (
	"io"
	"os"
)

// MaxFile is one byte more than a rule file or a workflow may have: its reader says so.
const MaxFile = 1<<20 + 1

// Source reads at most so many bytes of a file, or of standard input for -.
func (c *Console) Source(path string, most int64) (text, name string, err error) {
	in, name := c.In, "<standard input>"
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", "", err
		}
		defer f.Close() //nolint:errcheck // it was only read
		in, name = f, path
	}
	src, err := io.ReadAll(io.LimitReader(in, most))
	return string(src), name, err
}
