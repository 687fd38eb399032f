// Package canary has texts that look like credentials, for tests of what may hold none.
package canary

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The letters that canaries are made of.
const (
	lettersLower = "abcdefghijklmnopqrstuvwxyz"
	lettersUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	numerals     = "0123456789"
)

// Texts returns n texts that look like credentials, of the kinds that skills/facts/secrets knows, drawn
// from a seed. No two are alike.
func Texts(seed uint64, n int) []string {
	rng := rand.New(rand.NewPCG(seed, 1))
	draw := func(n int, from string) string {
		var b strings.Builder
		for range n {
			b.WriteByte(from[rng.IntN(len(from))])
		}
		return b.String()
	}
	all := lettersLower + lettersUpper + numerals
	kinds := []func() string{
		func() string { return "gh" + "p_" + draw(36, all) },
		func() string { return "sk" + "-" + draw(32, all) },
		func() string { return "AI" + "za" + draw(35, all) },
		func() string { return "AK" + "IA" + draw(16, lettersUpper+"234567") },
		func() string { return "xo" + "xb-" + draw(12, numerals) + "-" + draw(16, all) },
		func() string { return "github" + "_pat_" + draw(40, all) },
		func() string { return "ey" + "J" + draw(20, all) + ".eyJ" + draw(30, all) + "." + draw(43, all) },
		func() string {
			return "-----BEGIN " + "PRIVATE KEY-----\n" + draw(64, all) + "\n" + draw(40, all) + "\n-----END PRIVATE KEY-----"
		},
	}
	out := make([]string, n)
	for i := range out {
		out[i] = kinds[i%len(kinds)]()
	}
	return out
}

// Core is the part of a canary that stands in every spelling of it: without line breaks.
func Core(canary string) string {
	if lines := strings.Split(canary, "\n"); len(lines) > 1 {
		return lines[1]
	}
	return canary
}

// NoneIn makes sure that no file below a folder holds one of some texts in the clear.
func NoneIn(t testing.TB, folder string, texts []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		NoneOf(t, path, string(data), texts)
		return err
	}))
}

// NoneOf makes sure that a text holds none of some others.
func NoneOf(t testing.TB, what, text string, texts []string) {
	t.Helper()
	var seen []string
	for i, x := range texts {
		if at := strings.Index(text, Core(x)); at >= 0 {
			seen = append(seen, fmt.Sprintf("%d at %d: %.60q", i, at, text[max(0, at-30):at+20]))
		}
	}
	if len(seen) > 0 {
		t.Errorf("%s holds %d of %d secrets: %s", what, len(seen), len(texts), strings.Join(seen[:min(3, len(seen))], "; "))
	}
}
