package approval

import (
	"bytes"
	"errors"
	"maps"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// OpenCounts returns the keys of the counts of open approvals: of a session, of all, and
// of a requester.
func OpenCounts(session, requester string) [3][]byte {
	return [3][]byte{record.Key(record.TableOpen, "session", session), record.Key(record.TableOpen, "all"),
		record.Key(record.TableOpen, "requester", requester)}
}

// countOpen adds more to the counts of open approvals: 1 or -1.
func countOpen(tx *journal.Tx, session, requester string, more int) error {
	for _, k := range OpenCounts(session, requester) {
		raw, err := tx.Get(k)
		if err != nil {
			return err
		}
		setCount(tx, k, int(record.AsNumber(raw))+more)
	}
	return nil
}

func setCount(tx *journal.Tx, k []byte, n int) {
	if n > 0 {
		tx.Set(k, record.Number(uint64(n)))
	} else {
		tx.Delete(k)
	}
}

// RecountOpen makes the counts agree with the open approvals, because an earlier version
// of this program kept no counts.
func RecountOpen(tx *journal.Tx) error {
	want := map[string]int{}
	err := record.Scan(tx, []byte{record.TableGrant}, func(k, _ []byte) error {
		for _, count := range OpenCounts(grantKey(k)) {
			want[string(count)]++
		}
		return nil
	})
	have := map[string]int{}
	err = errors.Join(err, record.Scan(tx, []byte{record.TableOpen}, func(k, v []byte) error {
		have[string(k)] = int(record.AsNumber(v))
		return nil
	}))
	if err != nil || maps.Equal(want, have) {
		return err
	}
	for k := range have {
		setCount(tx, []byte(k), want[k])
	}
	for k, n := range want {
		setCount(tx, []byte(k), n)
	}
	return nil
}

// grantKey splits a key of the index of open approvals.
func grantKey(k []byte) (session, requester string) {
	parts := bytes.SplitN(k[1:], []byte{0}, 3)
	return string(parts[0]), string(parts[1])
}
