package archtest

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A decision is shared by everyone who reads it, so that only package reason writes
// its fields. Its readers want fields, and Go has none that are only read.
func TestOnlyReasonWritesDecisions(t *testing.T) {
	const home = module + "reason"
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Deps,Export", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err)
	exports, readers := map[string]string{}, []Package{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			Package
			Export string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if slices.Contains(p.Deps, home) && strings.HasPrefix(p.ImportPath, module) {
			readers = append(readers, p.Package)
		}
	}
	require.NotEmpty(t, readers)
	files := token.NewFileSet()
	compiled := importer.ForCompiler(files,
		"gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	reason, err := compiled.Import(home)
	require.NoError(t, err)
	decision := reason.Scope().Lookup("Decision").Type().Underlying().(*types.Struct)
	for _, p := range readers {
		info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, 0)
			require.NoError(t, err)
			parsed = append(parsed, f)
		}
		_, err := (&types.Config{Importer: compiled}).Check(p.ImportPath, files, parsed, info)
		require.NoError(t, err)
		for _, f := range parsed {
			ast.Inspect(f, func(n ast.Node) bool {
				for _, to := range written(n) {
					sel, _ := ast.Unparen(to).(*ast.SelectorExpr)
					if sel != nil && info.Selections[sel] != nil && has(decision, info.Selections[sel].Obj()) {
						t.Errorf("%s writes %s of a decision", files.Position(n.Pos()), sel.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

func has(s *types.Struct, field types.Object) bool {
	for f := range s.Fields() {
		if f == field {
			return true
		}
	}
	return false
}

// written returns what a statement assigns to.
func written(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Lhs
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	}
	return nil
}
