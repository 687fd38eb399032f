package provenance

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// mail is a result of about a kilobyte.
func mail(i int) any {
	return fmt.Sprintf(`[{"id": %d, "from": "person%d@corp%d.test", "subject": "Report %d of the week", "body": "%s Please find account DE%020d in it."}]`,
		i, i, i%97, i, strings.Repeat("The quick brown fox jumps over the lazy dog near the river bank. ", 12), i)
}

func sessionOf(calls int) *Index {
	x := New(english, tools, Limits{})
	x.User(1, Message{Text: "Mail the report to bob@corp.test"})
	for i := range calls {
		x.Call(Ref(i+2), Call{Tool: "read_inbox", Result: mail(i)})
	}
	return x
}

// One question after so many calls. Beyond a megabyte of results their text is dropped.
func BenchmarkOrigin(b *testing.B) {
	for _, calls := range []int{10, 1000, 10_000} {
		w := sessionOf(calls).For(Action{Tool: sendMail})
		for name, v := range map[string]string{"record": "person7@corp7.test", "prose": "DE00000000000000000007",
			"nowhere": "eve@evil.test"} {
			b.Run(fmt.Sprintf("calls=%d/%s", calls, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, _, _ = w.OriginAs(v, Principal)
				}
			})
		}
	}
}

// One question where a megabyte of text is the same few words.
func BenchmarkOriginInRepeatedText(b *testing.B) {
	x := New(english, tools, Limits{})
	x.User(1, Message{Text: "Mail the report"})
	x.Call(2, Call{Tool: "read_inbox", Result: strings.Repeat("pay bob pay eve pay pay bob ", 36_000)})
	w := x.For(Action{Tool: sendMail})
	for b.Loop() {
		_, _, _ = w.OriginAs("bob pay eve pay pay bob pay bob pay eve pay bob", Principal)
	}
}

// Entering results, by their size.
func BenchmarkEnter(b *testing.B) {
	for _, kb := range []int{1, 10, 100, 1000} {
		var text strings.Builder
		for i := 0; text.Len() < kb<<10; i++ {
			fmt.Fprintln(&text, mail(i))
		}
		for name, result := range map[string]string{
			"json": text.String(), "prose": strings.Repeat("It was a dark and stormy night; please see page 7. ", kb*20),
		} {
			b.Run(fmt.Sprintf("kb=%d/%s", kb, name), func(b *testing.B) {
				b.SetBytes(int64(len(result)))
				b.ReportAllocs()
				for b.Loop() {
					x := New(english, tools, Limits{})
					x.Call(1, Call{Tool: "read_inbox", Result: result})
				}
			})
		}
	}
}

// A whole decision: the session is entered and every argument asked about.
func BenchmarkDecision(b *testing.B) {
	for b.Loop() {
		sessionOf(3).For(Action{Tool: sendMail,
			Args: map[string]any{"to": "bob@corp.test", "body": "hello there"}}).Arguments(nil)
	}
}

// What a session takes in memory, its texts included, as a multiple of the texts: it was
// read in results of a kilobyte, and each result is as long as a caller keeps it.
func BenchmarkMemory(b *testing.B) {
	prose := func(i int) any {
		return strings.Repeat(fmt.Sprintf("It was dark night %d; clerk%d@example.org wrote page 7. ", i, i*i), 20)
	}
	for name, result := range map[string]func(int) any{"json": mail, "prose": prose} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				x, read := New(english, tools, Limits{}), 0
				x.User(1, Message{Text: "Mail the report to bob@corp.test"})
				before := heap()
				for i := 0; read < 900_000; i++ {
					r := result(i)
					read += len(r.(string))
					x.Call(Ref(i+2), Call{Tool: "read_inbox", Result: r})
				}
				b.ReportMetric(float64(heap()-before)/float64(read), "x-text")
				runtime.KeepAlive(x)
			}
		})
	}
}

// heap is what is alive.
func heap() uint64 {
	for range 3 { // what a pool holds lives for two
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
