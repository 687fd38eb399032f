package approval

import (
	"errors"
	"maps"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// OpenCounts returns the keys of the counts of open approvals: of a session, of all, and
// of a requester.
func OpenCounts(session, requester string) [3][]byte {
	return [3][]byte{record.TableOpen.Key(record.OpenInSession, session), record.TableOpen.Under(record.OpenInAll),
		record.TableOpen.Key(record.OpenOfRequester, requester)}
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
	err := record.TableGrant.Scan(tx, func(session, requester string, _ sexpr.Digest, _ []byte) error {
		for _, count := range OpenCounts(session, requester) {
			want[string(count)]++
		}
		return nil
	})
	have := map[string]int{}
	err = errors.Join(err, record.Scan(tx, []byte{byte(record.TableOpen)}, func(k, v []byte) error {
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
