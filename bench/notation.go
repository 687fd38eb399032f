package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// proposal is about 1 KB, as models write them.
const proposal = `(:type :request :target :tool
 :payload (:tool "write_file"
           :args (:path "/workspace/internal/report/summary.md" :mode "0644" :append false :retries 3 :timeout 30.5
                  :text "# Summary\n\nThe build passes on all platforms; two tests are slow (\"TestReplay\" and \"TestImport\").\n- replay: 12.4 s\n- import: 9.8 s\n\nNothing else changed since the last report, apart from the new vendored fonts."
                  :tags ("report" "build" "weekly" "generated") :owner (:name "ana" :id 4711 :groups ("dev" "ops" "release"))
                  :limits (:max-bytes 65536 :max-lines 2000 :ratio 0.75 :strict t :encoding nil)
                  :steps ((:name "collect" :after nil :weight 1) (:name "render" :after ("collect") :weight 2.25) (:name "write" :after ("render") :weight 10))
                  :note "Kept short so that the reviewer can read all of it before the meeting starts."))
 :explanation "The user asked for a written summary of the last build; the file is new and stays inside the workspace.")`

const proposalRules = `(deftool write_file
  :params (:path path :mode string :append boolean :retries (integer 0 9) :timeout number :text string
           :tags any :owner any :limits any :steps any :note string)
  :required (:path :text) :tier :allow)`

const copies = 600 // of the proposal, in the large text

// notation measures reading, printing, and the whole way of a proposal.
func notation(r *report) error {
	large := strings.Repeat(proposal+"\n", copies)
	value, err := sexpr.Read("", proposal)
	if err != nil {
		return err
	}
	// JSON has no keywords: the same data, with strings in the place of the two.
	plain, err := sexpr.Read("",
		strings.NewReplacer(":type :request :target :tool", `:type "request" :target "tool"`).Replace(proposal))
	if err != nil {
		return err
	}
	small, err := sexpr.ToJSON(plain)
	if err != nil {
		return err
	}
	array := []byte("[" + strings.Repeat(string(small)+",", copies-1) + string(small) + "]")
	var decoded any
	if err := json.Unmarshal(small, &decoded); err != nil {
		return err
	}
	read := each(func() error { _, err := sexpr.Read("", proposal); return err })
	readAll := each(func() error { _, err := sexpr.ReadAll("", large); return err })
	printOne := each(func() error { _, err := sexpr.AppendPrint(nil, value); return err })
	unmarshal := func(data []byte) series {
		return each(func() error { var v any; return json.Unmarshal(data, &v) })
	}
	chain, err := proposalChain()
	if err != nil {
		return err
	}
	lisp, err := startSBCL(proposal, large)
	if err != nil {
		return err
	}
	rows := []row{
		{what: "read a proposal of 1 KB", ours: read, theirs: unmarshal(small), rival: "encoding/json into any",
			bytes: len(proposal), limit: 1},
		{what: "read 600 of them, 1 text", ours: readAll, theirs: unmarshal(array), rival: "encoding/json into any",
			bytes: len(large), limit: 1},
		{what: "print a proposal of 1 KB", ours: printOne, theirs: each(func() error {
			_, err := json.Marshal(decoded)
			return err
		}), rival: "encoding/json Marshal", bytes: len(proposal)},
		{what: "reply of 1 KB to action: parse, normalise, check the schema, canonicalise, digest", ours: chain,
			theirs: jsonChain(small), rival: "encoding/json both ways and SHA-256", bytes: len(proposal), limit: 1},
	}
	if lisp == nil {
		r.note("SKIPPED: sbcl is not installed, so its reader and printer are not in the table.")
	} else {
		rows = append(rows,
			row{what: "read a proposal of 1 KB", ours: read, theirs: lisp.series("read-small", r.each), rival: "sbcl read",
				bytes: len(proposal), limit: 1},
			row{what: "read 600 of them, 1 text", ours: readAll, theirs: lisp.series("read-large", r.each), rival: "sbcl read",
				bytes: len(large), limit: 1},
			row{what: "print a proposal of 1 KB", ours: printOne, theirs: lisp.series("print-small", r.each),
				rival: "sbcl prin1", bytes: len(proposal), limit: 1})
	}
	for _, w := range rows {
		if err := r.measure(w); err != nil {
			return err
		}
	}
	if lisp != nil {
		return lisp.close()
	}
	return nil
}

// proposalChain is what happens between a model's reply and the first rule.
func proposalChain() (series, error) {
	book, err := reason.LoadRules(fstest.MapFS{"tools.lisp": {Data: []byte(proposalRules)}})
	if err != nil {
		return nil, err
	}
	return each(func() error {
		reply := sexpr.Reader{}.ReadReply(proposal, nil)
		if reply.Kind != sexpr.Proposal {
			return fmt.Errorf("not read as a proposal: %w", reply.Err)
		}
		a, _, err := skills.Propose(reply.Form, book)
		if err == nil && a.Digest().IsZero() {
			err = errors.New("no digest")
		}
		return err
	}), nil
}

// jsonChain is the same of a gate that has JSON and no schema: Marshal sorts the
// keys.
func jsonChain(data []byte) series {
	var sum [sha256.Size]byte
	return each(func() error {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			return err
		}
		canonical, err := json.Marshal(v)
		sum = sha256.Sum256(canonical)
		_ = sum
		return err
	})
}
