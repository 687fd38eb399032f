package journal_test

import (
	"context"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/sexpr"
)

func Example() {
	ctx := context.Background()
	st, err := store.Open("", store.Options{}) // in memory
	if err != nil {
		fmt.Println(err)
		return
	}
	j, err := journal.Open(st, journal.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer j.Close()

	// The same signal arrives twice; it is recorded once.
	for range 2 {
		err = j.Update(ctx, func(tx *journal.Tx) error {
			key := []byte("d/telegram/4711")
			known, err := tx.Get(key)
			if err != nil || known != nil {
				return err
			}
			if _, err := tx.Append("signal", "s1", sexpr.Plist("text", sexpr.Str("hello"))); err != nil {
				return err
			}
			tx.Set(key, []byte("done"))
			return nil
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	err = j.Records(1, func(r journal.Record) error {
		fmt.Println(r.Seq, r.Kind, r.Body)
		return nil
	})
	fmt.Println(err, j.Verify(ctx))
	// Output:
	// 1 signal (:text "hello")
	// <nil> <nil>
}
