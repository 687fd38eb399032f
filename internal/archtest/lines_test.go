package archtest

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Lines of code end by column 120. Quoted texts in which a line break would mean
// something, between backquotes, may be longer, and so may lines that a program writes.
func TestLinesEndByColumn120(t *testing.T) {
	seen := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2:
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".pb.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.HasPrefix(src, []byte("// Code generated")) {
			return nil
		}
		seen++
		quoted := quotedLines(src)
		for i, line := range strings.Split(string(src), "\n") {
			if !quoted[i+1] {
				assert.LessOrEqual(t, utf8.RuneCountInString(line), 120, "%s:%d", path, i+1)
			}
		}
		return nil
	}))
	require.Positive(t, seen)
}

// quotedLines are the lines that hold a part of a text between backquotes.
func quotedLines(src []byte) map[int]bool {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	out := map[int]bool{}
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return out
		}
		if kind == token.STRING && text[0] == '`' {
			first := file.Line(pos)
			for i := range strings.Count(text, "\n") + 1 {
				out[first+i] = true
			}
		}
	}
}
