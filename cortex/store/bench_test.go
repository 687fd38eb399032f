package store

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
	"github.com/opencortex-go/cortex/sexpr"
)

// The body of an ordinary record, about 400 bytes when it is stored.
var benchBody = sexpr.Plist(
	"tool", sexpr.Str("shell"), "args", sexpr.Plist("cmd", sexpr.Str("git status --short")),
	"kind", sexpr.Str("allow"), "n", sexpr.Int64(1234567), "why", sexpr.Str(strings.Repeat("because ", 10)))

// BenchmarkDurable compares updates of a journal with plain synced batches of
// Pebble that hold the same bytes: a record, an index entry, and the head.
func BenchmarkDurable(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("journal/writers=%d", writers), func(b *testing.B) {
			s, err := Open(b.TempDir(), Options{})
			require.NoError(b, err)
			j, err := journal.Open(s, journal.Options{})
			require.NoError(b, err)
			inParallel(b, writers, func(int64) error {
				return j.Update(context.Background(), func(tx *journal.Tx) error {
					r, err := tx.Append("decision", "session", benchBody)
					tx.Set(fmt.Appendf(nil, "h%d", r.Seq), []byte("12345678"))
					return err
				})
			})
			require.NoError(b, j.Close())
		})
		b.Run(fmt.Sprintf("pebble/writers=%d", writers), func(b *testing.B) {
			db, err := pebble.Open(b.TempDir(),
				&pebble.Options{FormatMajorVersion: tables.Format, MemTableSize: guard.MemTable, Logger: Quiet()})
			require.NoError(b, err)
			record, head := storedBytes(b)
			inParallel(b, writers, func(n int64) error {
				batch := db.NewBatch()
				_ = batch.Set(fmt.Appendf(nil, "e%08d", n), record, nil)
				_ = batch.Set(fmt.Appendf(nil, "h%d", n), []byte("12345678"), nil)
				_ = batch.Set([]byte("e\xff"), head, nil)
				return batch.Commit(pebble.Sync)
			})
			require.NoError(b, db.Close())
		})
	}
}

// storedBytes returns a record and a head as a journal stores them.
func storedBytes(b *testing.B) (record, head []byte) {
	s, err := Open("", Options{})
	require.NoError(b, err)
	j, err := journal.Open(s, journal.Options{})
	require.NoError(b, err)
	require.NoError(b, j.Update(context.Background(), func(tx *journal.Tx) error {
		_, err := tx.Append("decision", "session", benchBody)
		return err
	}))
	require.NoError(b, j.Scan([]byte("e"), []byte("f"), func(_, v []byte) bool {
		record, head = head, append([]byte(nil), v...)
		return true
	}))
	require.NoError(b, j.Close())
	return record, head
}

func inParallel(b *testing.B, writers int, f func(n int64) error) {
	var n atomic.Int64
	errs := make(chan error, writers)
	b.ReportAllocs()
	b.ResetTimer()
	for range writers {
		go func() {
			for {
				i := n.Add(1)
				if i > int64(b.N) {
					errs <- nil
					return
				}
				if err := f(i); err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	for range writers {
		require.NoError(b, <-errs)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// BenchmarkReopen opens what a killed process left with 16 MiB of the log to bring
// into tables, in commits of one record each, or as many as in a busy journal.
func BenchmarkReopen(b *testing.B) {
	record, head := storedBytes(b)
	for _, records := range []int{1, 64} {
		b.Run(fmt.Sprintf("records=%d", records), func(b *testing.B) {
			live, dirs := b.TempDir(), b.TempDir()
			st, err := Open(live, Options{})
			require.NoError(b, err)
			s := st.(*store)
			s.keeper.stop() // nothing comes into tables
			n := 0
			for s.keeper.behind.Load() < 16<<20 {
				writes := []journal.Write{{Key: []byte("e\xff"), Value: head}}
				for range records {
					n++
					writes = append(writes, journal.Write{Key: fmt.Appendf(nil, "e%08d", n), Value: record},
						journal.Write{Key: fmt.Appendf(nil, "h%d", n), Value: []byte("12345678")})
				}
				require.NoError(b, s.Commit(writes))
			}
			for i := range b.N {
				require.NoError(b, os.CopyFS(fmt.Sprint(dirs, "/", i), os.DirFS(live)))
			}
			b.ResetTimer()
			for i := range b.N {
				s, err := Open(fmt.Sprint(dirs, "/", i), Options{})
				require.NoError(b, err)
				b.StopTimer()
				require.NoError(b, s.Close())
				require.NoError(b, os.RemoveAll(fmt.Sprint(dirs, "/", i)))
				b.StartTimer()
			}
			b.ReportMetric(float64(n), "records")
			b.StopTimer()
			require.NoError(b, s.Close())
		})
	}
}

// BenchmarkRead measures a journal of 20 000 records: Scan reads the bytes,
// Records decodes and checks each link, Verify does so for all of it.
func BenchmarkRead(b *testing.B) {
	const records = 20_000
	s, err := Open("", Options{})
	require.NoError(b, err)
	j, err := journal.Open(s, journal.Options{})
	require.NoError(b, err)
	for range records / 100 {
		require.NoError(b, j.Update(context.Background(), func(tx *journal.Tx) error {
			for range 100 {
				if _, err := tx.Append("decision", "session", benchBody); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	var bytes int64
	require.NoError(b, j.Scan(nil, nil, func(_, v []byte) bool { bytes += int64(len(v)); return true }))
	for name, f := range map[string]func() error{
		"scan":   func() error { return j.Scan(nil, nil, func(_, _ []byte) bool { return true }) },
		"verify": func() error { return j.Verify(context.Background()) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(bytes)
			for range b.N {
				require.NoError(b, f())
			}
			b.ReportMetric(float64(b.N)*records/b.Elapsed().Seconds(), "records/s")
		})
	}
	b.Run("get", func(b *testing.B) {
		for i := range b.N {
			_, err := j.Read(uint64(i%records) + 1)
			require.NoError(b, err)
		}
	})
	require.NoError(b, j.Close())
}
