package store_test

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// A disk that fails makes a store that says so, and can still be read.
func ExampleOpen() {
	var full atomic.Bool
	disk := storetest.NewDisk(func(storetest.Op) error {
		if full.Load() {
			return errors.New("disk full")
		}
		return nil
	})
	s, err := store.Open("folder", store.Options{Disk: disk})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	fmt.Println(s.Commit([]journal.Write{{Key: []byte("k"), Value: []byte("v")}}))
	full.Store(true)
	fmt.Println(s.Commit([]journal.Write{{Key: []byte("k"), Value: []byte("w")}}))
	value, err := s.Get([]byte("k"))
	fmt.Println(string(value), err)
	// Output:
	// <nil>
	// store: disk full
	// v <nil>
}
