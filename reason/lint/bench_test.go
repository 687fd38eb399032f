package lint

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkRun(b *testing.B) {
	for _, shape := range []string{"one-tool", "many-tools"} {
		b.Run(shape+"/rules=1000", func(b *testing.B) {
			var text strings.Builder
			text.WriteString(tools)
			for i := range 1000 {
				tool := "pay"
				if shape == "many-tools" {
					tool = fmt.Sprintf("pay%d", i)
					fmt.Fprintf(&text, "(deftool %s :params (:to string :amount number) :required (:to :amount))\n", tool)
				}
				fmt.Fprintf(&text, `(defskill s%d :trigger (= action.tool %q)
					:gate ((deny a :when (and (> action.args.amount %d) (= action.args.to "p%d")))))`+"\n", i, tool, i%900, i)
			}
			book, err := unproved(text.String())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				Run(book)
			}
		})
	}
}
