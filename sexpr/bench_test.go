package sexpr

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// proposal1K is a proposal of about 1 KB, as models write them.
var proposal1K = `(:type :request :target :tool
 :payload (:tool "write_file"
           :args (:path "/workspace/internal/report/summary.md" :mode "0644" :append false :retries 3 :timeout 30.5
                  :text "# Summary\n\nThe build passes on all platforms; two tests are slow (\"TestReplay\" and \"TestImport\").\n- replay: 12.4 s\n- import: 9.8 s\n\nNothing else changed since the last report, apart from the new vendored fonts."
                  :tags ("report" "build" "weekly" "generated") :owner (:name "ana" :id 4711 :groups ("dev" "ops" "release"))
                  :limits (:max-bytes 65536 :max-lines 2000 :ratio 0.75 :strict t :encoding nil)
                  :steps ((:name "collect" :after nil :weight 1) (:name "render" :after ("collect") :weight 2.25) (:name "write" :after ("render") :weight 10))
                  :note "Kept short so that the reviewer can read all of it before the meeting starts."))
 :explanation "The user asked for a written summary of the last build; the file is new and stays inside the workspace.")`

// benchValue is proposal1K without what JSON cannot say, and its JSON.
func benchJSON(b *testing.B) []byte {
	v, err := Read("",
		strings.NewReplacer(":type :request :target :tool", `:type "request" :target "tool"`).Replace(proposal1K))
	if err != nil {
		b.Fatal(err)
	}
	data, err := ToJSON(v)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1, 600} {
		src := strings.Repeat(proposal1K+"\n", n)
		b.Run(fmt.Sprintf("%dKB", len(src)>>10), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ReadAll("", src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncodingJSON(b *testing.B) {
	data := benchJSON(b)
	b.Run("Unmarshal", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			var v any
			if err := json.Unmarshal(data, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Marshal", func(b *testing.B) {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPrint(b *testing.B) {
	v, err := Read("", proposal1K)
	if err != nil {
		b.Fatal(err)
	}
	for name, f := range map[string]func([]byte, Value) ([]byte, error){"Print": AppendPrint,
		"Canonical": AppendCanonical} {
		b.Run(name, func(b *testing.B) {
			buf, err := f(nil, v)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
			for b.Loop() {
				if buf, err = f(buf[:0], v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The way of a proposal: reply, normalise, canonical form, digest.
func BenchmarkProposal(b *testing.B) {
	b.SetBytes(int64(len(proposal1K)))
	b.ReportAllocs()
	for b.Loop() {
		reply := Reader{}.ReadReply(proposal1K, nil)
		if _, err := DigestOf(reply.Form); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	data := benchJSON(b)
	v, err := FromJSON(data)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("From", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := FromJSON(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("To", func(b *testing.B) {
		buf := make([]byte, 0, 2*len(data))
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if buf, err = AppendJSON(buf[:0], v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
