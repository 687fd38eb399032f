package checkup

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/fsck"
	"github.com/opencortex-go/cortex/internal/daemon"
)

// folder looks at who may enter the record's folder, and how much room it has.
func (x *examination) folder(dir string) {
	info, err := os.Stat(dir)
	if err != nil {
		x.bad("folder", "cortex serve makes it", "%v", err)
		return
	}
	if info.Mode().Perm()&0o077 != 0 {
		x.bad("folder", "chmod 700 "+dir, "others may enter %s (%s)", dir, info.Mode().Perm())
	} else {
		x.ok("folder", "%s is the owner's alone", dir)
	}
	const little, much = 64 << 20, 1 << 30
	free, err := daemon.FreeSpace(dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
	case err != nil:
		x.bad("space", "", "%v", err)
	case free < little:
		x.bad("space", "make room there: without it every action is denied", "%d MiB are free in %s", free>>20, dir)
	case free < much:
		x.warn("space", "make room there", "%d MiB are free in %s", free>>20, dir)
	default:
		x.ok("space", "%d GiB are free in %s", free>>30, dir)
	}
}

// record opens the record, unless another process has.
func (x *examination) record(p *patient, dir string) {
	if opening.Exists(dir) != nil {
		x.warn("record", "cortex serve makes it", "there is none in %s yet", dir)
		return
	}
	j, err := opening.JournalIn(p.Console)(dir)
	if errors.Is(err, store.ErrInUse) {
		x.ok("record", "a process holds it")
		return
	}
	if err != nil {
		x.bad("record", mending(p, dir, err), "%v", err)
		return
	}
	defer func() { _ = j.Close() }()
	head := j.Head()
	x.ok("record", "%d records; the newest is %s", head.Seq, head)
	if head.Seq == 0 {
		return
	}
	newest, err := j.Read(head.Seq)
	if err != nil {
		x.bad("record", mending(p, dir, err), "%v", err)
		return
	}
	x.clock(newest)
}

// mending names a command that helps where a record does not open.
func mending(p *patient, dir string, err error) string {
	switch {
	case errors.Is(err, store.ErrFormat):
		return "use the version of cortex that wrote it"
	case errors.Is(err, journal.ErrFull):
		return "make room there"
	case errors.Is(err, fs.ErrPermission):
		return "let it belong to the user that this runs as"
	case !errors.Is(err, store.ErrCorrupt) && !errors.As(err, new(*journal.Damage)):
		return ""
	}
	r, err := fsck.Check(p.ctx, dir, fsck.Options{})
	switch {
	case err != nil:
		return "a backup: it cannot be checked either: " + firstLine(err)
	case r.Loss.Commits > 0 || r.Loss.Records > 0:
		return "a backup; cortex fsck --dir " + dir + " says what neither place has: " + r.Loss.String()
	case len(r.Faults) > 0:
		return "cortex fsck --repair --dir " + dir
	}
	return "a backup: both places are whole, and have the same; cortex journal verify --dir " + dir + " names the record"
}

func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// waits looks for what waits for a person, in a record that no process holds.
func (x *examination) waits(p *patient, dir string) {
	if opening.Exists(dir) != nil {
		return
	}
	caps := capabilities.New()
	e, err := opening.EngineWith(p.ctx, p.Console, caps)(dir)
	if err != nil {
		return // why, record has said
	}
	_, err = caps.List(p.ctx)
	x.capabilities(err)
	failed, err := e.Compensations().Failed(p.ctx)
	st, statusErr := e.Status(p.ctx)
	if err = errors.Join(err, statusErr, e.Close()); err != nil {
		x.bad("compensations", "", "%v", err)
		return
	}
	x.failed(int64(len(failed)))
	x.compared(st.Scrub.Compared, dir)
}

// compared tells when the two places of the record were last read whole, and compared.
func (x *examination) compared(at time.Time, dir string) {
	switch {
	case at.Unix() <= 0:
		x.warn("places", "a daemon does it in the background; now: cortex fsck --dir "+dir,
			"log and tables have not been compared yet")
	case time.Since(at) > 8*24*time.Hour:
		x.warn("places", "a daemon does it in the background; now: cortex fsck --dir "+dir,
			"log and tables were last compared %s", at.UTC().Format(time.DateTime))
	default:
		x.ok("places", "log and tables were last compared %s", at.UTC().Format(time.DateTime))
	}
}

// capabilities tells what is wrong with their registry; err is what reading it came to.
func (x *examination) capabilities(err error) {
	if err != nil {
		x.bad("capabilities", "a backup; until then none is offered, and each start is refused", "%v", err)
	}
}

// failed lists compensations that failed.
func (x *examination) failed(n int64) {
	if n > 0 {
		x.bad("compensations", "cortex approvals list shows them, and outcome settles them",
			"%d failed: what they were to make up for waits for a person", n)
	}
}

// clock compares the clock with the newest record.
func (x *examination) clock(newest journal.Record) {
	if ahead := time.Until(time.Unix(0, newest.At)); ahead > 5*time.Second {
		x.bad("clock", "set the clock", "it is %s before the newest record", ahead.Round(time.Second))
		return
	}
	x.ok("clock", "it is behind no record")
}
