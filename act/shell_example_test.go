package act_test

import (
	"context"
	"fmt"
	"os"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// The shell inherits nothing from this process: no variables, no folder, no input.
func ExampleShell() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	shell, err := act.NewShell(act.ShellOptions{Dir: dir, Env: map[string]string{"GREETING": "hello"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := act.NewRegistry(shell.Tool())
	if err != nil {
		fmt.Println(err)
		return
	}
	recorder := newLedger() // normally the engine
	d := act.NewDispatcher(recorder, tools)
	run, _ := skills.NewAction(act.ShellTool, sexpr.Plist("cmd", sexpr.Str(`echo "$GREETING, $USER"; exit 3`)), "")
	permit, _ := d.Begin(context.Background(), recorder.allow(run))
	receipt, err := d.Dispatch(context.Background(), permit)
	fmt.Printf("%s %q %v\n", receipt.State, receipt.Result.GetText("stdout"), err)
	// Output:
	// failed "hello, \n" <nil>
}
