//go:build linux

package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/sexpr"
)

const (
	gluttons = 250       // clients that ask for much and read nothing
	fewer    = 20        // of them in the short form: the race detector takes more memory than the daemon
	asked    = 64        // times each
	glutCap  = 512 << 20 // what the server's process may hold at its worst
)

// longRecord makes a record of more than a thousand entries in dir.
func longRecord(t testing.TB, dir string) {
	t.Helper()
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}}})
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close()) }()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 130 {
				a, err := cortex.NewAction("note",
					sexpr.Plist("text", sexpr.Str(fmt.Sprint(i, n, strings.Repeat(" some words", 60)))), "to be remembered")
				if assert.NoError(t, err) {
					_, err = e.Decide(t.Context(), a, nil)
					assert.NoError(t, err)
				}
			}
		})
	}
	wg.Wait()
}

// 250 clients ask for a thousand records 64 times each, in some 50 kB for all of
// them together that ask in one write each, and read nothing. A client that comes
// then is answered, and the daemon's memory stays bounded. The long form (make
// load) judges how soon it is answered: within 100 ms at the 99th percentile. The
// short form has fewer clients: two of them took 2.4 GiB before there were bounds.
func TestLoad_JournalsThatNobodyReads(t *testing.T) {
	crashtest.Long(t)
	dir, record := t.TempDir(), filepath.Join(t.TempDir(), "record")
	longRecord(t, record)
	server, out, end := role(t, "WIRE_TEST_SERVE="+dir, "WIRE_TEST_RECORD="+record)
	defer end()
	require.True(t, out.Scan())
	require.Equal(t, "ready", out.Text())

	many := fewer
	if os.Getenv(loadEnv) != "" {
		many = gluttons
	}
	if s := os.Getenv("CORTEX_GLUTTONS"); s != "" { // to see what happens without bounds takes no more than a few
		var err error
		many, err = strconv.Atoi(s)
		require.NoError(t, err)
	}
	h := &house{t: t, opt: Options{Socket: filepath.Join(dir, "cortex.sock")}}
	order := strings.Repeat(frame(`(:id 1 :type :request :target :repl :payload (:form (journal :last 1000)))`), asked)
	for range many {
		h.raw(h.opt.Socket).write(order)
	}
	var trips []time.Duration
	for range 100 {
		began := time.Now()
		c := h.dial(h.opt.Socket)
		r, err := c.Eval(t.Context(), sexpr.ListOf(sexpr.Sym("+"), sexpr.Int64(1), sexpr.Int64(2)))
		trips = append(trips, time.Since(began))
		require.NoError(t, err)
		assert.EqualValues(t, 3, r.Value.Int())
		require.NoError(t, c.Close())
	}
	slices.Sort(trips)
	most := resident(t, server.Process.Pid)
	t.Logf("%d clients that read nothing: (+ 1 2) from a new client p50 %s p99 %s, and the server held at most %d MiB",
		many, trips[50], trips[99], most>>20)
	if os.Getenv(loadEnv) != "" {
		assert.Less(t, trips[99], 100*time.Millisecond)
	}
	assert.Less(t, most, uint64(glutCap))
}
