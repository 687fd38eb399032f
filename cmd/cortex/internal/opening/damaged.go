package opening

import (
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/gateways/repl"
)

// Damaged says which record is not what was written, for exit code 5: one that
// does not fit the chain, or the first that the disk no longer gives back. Other
// errors come back.
func Damaged(p *console.Console, err error) error {
	var d *journal.Damage
	var unread *journal.ReadError
	var told *repl.Error // by a daemon, in the same words
	remote := errors.As(err, &told) && told.Code == repl.CodeDamaged
	if !errors.As(err, &d) && !remote && !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	if p.JSON {
		out := map[string]any{"ok": false, "error": text}
		var seq uint64
		if d != nil {
			out["record"] = d.Seq
		} else if errors.As(err, &unread) {
			out["record"] = unread.Seq
		} else if n, _ := fmt.Sscanf(text, "record %d", &seq); remote && n == 1 {
			out["record"] = seq
		}
		return errors.Join(p.Print(out), console.Quit(5))
	}
	p.Warnf("cortex: %s\n", text)
	return console.Quit(5)
}
