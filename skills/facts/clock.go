package facts

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/internal/zone"
)

// costClock is the static cost of asking a clock.
const costClock = 2

// clock answers what clocks show. It opens the database of zones when a rule first
// names one.
type clock struct {
	open func() (*zone.Database, error)
}

// clockFunctions are the functions of time. They share one database.
func clockFunctions() []Function {
	c := clock{sync.OnceValues(zone.Open)}
	params := []Param{
		{Name: "seconds", Type: Type{Kind: Int}},
		{Name: "zone", Type: Type{Kind: String}, Check: c.check, Prepare: c.prepare},
	}
	of := func(name string, result Kind, doc string, show func(time.Time) any) Function {
		return Function{Name: name, Cost: costClock, Doc: doc, Params: params, Result: Type{Kind: result},
			Call: func(_ *skills.Case, args []any) (any, error) {
				t, err := c.at(name, args)
				if err != nil {
					return nil, err
				}
				return show(t), nil
			}}
	}
	return []Function{
		of("hour", Int, "The hour, 0 to 23, that clocks in a zone such as \"Europe/Berlin\" show at a moment in Unix "+
			"seconds, such as now.", func(t time.Time) any { return int64(t.Hour()) }),
		of("weekday", String, "The day of the week there at that moment: \"monday\" to \"sunday\".",
			func(t time.Time) any { return strings.ToLower(t.Weekday().String()) }),
		of("date", String, "The date there at that moment, such as \"2026-03-29\". The earlier of two dates is the lesser "+
			"string.", func(t time.Time) any { return t.Format(time.DateOnly) }),
	}
}

// at reads a moment and a zone, which may be ready.
func (c clock) at(name string, args []any) (time.Time, error) {
	unix, ok := args[0].(int64)
	if !ok {
		return time.Time{}, fmt.Errorf("%s takes a moment in Unix seconds, an integer", name)
	}
	l, ready := args[1].(*time.Location)
	if !ready {
		var err error
		if l, err = c.location(args[1]); err != nil {
			return time.Time{}, err
		}
	}
	t, ok := zone.At(unix, l)
	if !ok {
		return time.Time{}, fmt.Errorf("%s of %d, which is not in the years 1 to 9999; a moment is given in Unix seconds",
			name, unix)
	}
	return t, nil
}

func (c clock) location(v any) (*time.Location, error) {
	name, ok := v.(string)
	if !ok {
		return nil, errors.New("a time zone is named by a string")
	}
	db, err := c.open()
	if err != nil {
		return nil, err
	}
	switch l, ok, err := db.Location(name); {
	case err != nil:
		return nil, err
	case ok:
		return l, nil
	}
	return nil, unknownZone{name}
}

// unknownZone is the error of a name that no zone has.
type unknownZone struct{ name string }

// Error says so, and what a name looks like.
func (u unknownZone) Error() string {
	return fmt.Sprintf("no time zone is called %.64q; a name is such as \"Europe/Berlin\" or \"UTC\"", u.name)
}

// check tells an author whose zone has no such name which name is near.
func (c clock) check(v any) error {
	_, err := c.location(v)
	var u unknownZone
	if !errors.As(err, &u) {
		return err
	}
	db, _ := c.open() // it is open
	return fmt.Errorf("%w%s", err, spell.DidYouMean(u.name, db.Names()))
}

// prepare looks a zone up once, when rules are loaded.
func (c clock) prepare(v any) any {
	l, err := c.location(v)
	if err != nil {
		return v // check has told
	}
	return l
}
