package archtest

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// The short form leaves the house's rules to `make check`, which runs all of them: they
// read and type-check the whole tree, and tell a newcomer nothing of how the program works.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("the house's rules are left to make check")
		os.Exit(0)
	}
	os.Exit(m.Run())
}
