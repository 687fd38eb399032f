package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unsealed lists the functions that seal a record, or call what does, without having its text hidden first.
func unsealed(f *ast.File, seals map[string]bool) (out []string) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		hidden := false
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch to := call.Fun.(type) {
			case *ast.SelectorExpr:
				hidden = hidden || to.Sel.Name == "hide"
			case *ast.Ident:
				if seals[to.Name] && !hidden {
					out = append(out, fn.Name.Name)
				}
			}
			return true
		})
	}
	return out
}

// Every text enters the record through one function, [journal.Tx] hide: nothing else seals a record.
func TestEveryRecordIsHiddenBeforeItIsSealed(t *testing.T) {
	files, seals, sealed := token.NewFileSet(), map[string]bool{"seal": true, "sealed": true}, 0
	known := []string{"sealed", "decode", "note"} // which print a record again to compare it, and what repairs say
	require.NoError(t, filepath.WalkDir("../../cortex/journal", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(files, path, text, 0)
		sealed += strings.Count(string(text), "seal(")
		assert.Subset(t, known, unsealed(f, seals), path)
		return err
	}))
	assert.Positive(t, sealed)
	around, err := parser.ParseFile(files, "x.go", "package x\nfunc f() { seal(room, r, text) }", 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"f"}, unsealed(around, seals), "the negative control: what goes round it is seen")
}
