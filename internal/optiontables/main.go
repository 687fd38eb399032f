// Command optiontables writes the table of options that skills/facts reads
// command lines with: what each network program's own help says (help/), with
// what a person says each value is (review/). See docs/option-tables.md.
package main

import (
	"log"
	"os"
)

// target is the file that it writes, from the root of the module.
const target = "skills/facts/internal/options/table.go"

func main() {
	log.SetFlags(0)
	if len(os.Args) != 1 {
		log.Fatal("optiontables takes no arguments; run it from the root of the module")
	}
	src, err := source(os.DirFS("internal/optiontables"))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(target, src, 0o644); err != nil {
		log.Fatal(err)
	}
}
