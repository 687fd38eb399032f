package main

import (
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"

	"cel.dev/cel-go/cel"
	"github.com/cedar-policy/cedar-go"
	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

// A rule has three clauses: the currency is its own, the amount is above its
// own, the path is below its folder. The same rule is written for each rival.
// Rules stand on one tool, so that all of them have to be asked, or each on its
// own. It is rule number "at" that matches the action.

// perFile is how many rules stand in one file.
const perFile = 100

func toolOf(i int, apart bool) string {
	if apart {
		return fmt.Sprintf("pay%05d", i)
	}
	return "pay"
}

// ourRules are n rules in our language.
func ourRules(n int, apart bool) fs.FS {
	files := fstest.MapFS{}
	for first := 0; first < n; first += perFile {
		var b strings.Builder
		for i := first; i < min(n, first+perFile); i++ {
			tool := toolOf(i, apart)
			if apart || i == 0 {
				fmt.Fprintf(&b, "(deftool %s :params (:currency string :amount (integer 0 1000000) :path path) :required "+
					"(:currency :amount :path) :tier :ask)\n", tool)
			}
			fmt.Fprintf(&b, `(defskill rule%05d :trigger (= action.tool %q)
 :gate ((allow fits :when (and (= action.args.currency "C%05d") (> action.args.amount %d) (starts-with? action.args.path "/data/%05d/")))))
`, i, tool, i, i, i)
		}
		files[fmt.Sprintf("rules%05d.lisp", first)] = &fstest.MapFile{Data: []byte(b.String())}
	}
	return files
}

// exprEnv is the action as expr is given it.
func exprEnv(at int, apart bool) map[string]any {
	return map[string]any{
		"tool": toolOf(at, apart),
		"args": map[string]any{"currency": fmt.Sprintf("C%05d", at), "amount": int64(1_000_000),
			"path": fmt.Sprintf("/data/%05d/report", at)},
	}
}

func exprRule(i int, apart bool) string {
	return fmt.Sprintf(`tool == %q && args.currency == "C%05d" && args.amount > %d && args.path startsWith "/data/%05d/"`,
		toolOf(i, apart), i, i, i)
}

// exprRules are rules from up to to, compiled by expr itself.
func exprRules(from, to int, apart bool) ([]*vm.Program, error) {
	env := exprEnv(0, apart)
	out := make([]*vm.Program, 0, to-from)
	for i := from; i < to; i++ {
		p, err := expr.Compile(exprRule(i, apart), expr.Env(env), expr.AsBool())
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func cedarRules(n int, apart bool) (*cedar.PolicySet, error) {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `permit (principal, action == Action::%q, resource) when { context.currency == "C%05d" && context.amount > %d && context.path like "/data/%05d/*" };
`, toolOf(i, apart), i, i, i)
	}
	return cedar.NewPolicySetFromBytes("rules.cedar", []byte(b.String()))
}

func cedarRequest(at int, apart bool) cedar.Request {
	return cedar.Request{
		Principal: cedar.NewEntityUID("User", "ana"),
		Action:    cedar.NewEntityUID("Action", cedar.String(toolOf(at, apart))),
		Resource:  cedar.NewEntityUID("Bank", "main"),
		Context: cedar.NewRecord(cedar.RecordMap{
			"currency": cedar.String(fmt.Sprintf("C%05d", at)), "amount": cedar.Long(1_000_000),
			"path": cedar.String(fmt.Sprintf("/data/%05d/report", at)),
		}),
	}
}

func celRules(n int, apart bool) ([]cel.Program, error) {
	env, err := cel.NewEnv(cel.Variable("tool", cel.StringType),
		cel.Variable("args", cel.MapType(cel.StringType, cel.DynType)))
	if err != nil {
		return nil, err
	}
	out := make([]cel.Program, n)
	for i := range n {
		ast, issues := env.Compile(fmt.Sprintf(
			`tool == %q && args.currency == "C%05d" && args.amount > %d && args.path.startsWith("/data/%05d/")`,
			toolOf(i, apart), i, i, i))
		if issues.Err() != nil {
			return nil, issues.Err()
		}
		if out[i], err = env.Program(ast); err != nil {
			return nil, err
		}
	}
	return out, nil
}
