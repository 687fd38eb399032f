package sexpr_test

import (
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
)

// Two spellings of one proposal have one canonical form.
func Example() {
	v, err := sexpr.Read("proposal", `(:Tool "shell"
	  :ARGS (:timeout 30 :cmd "git status"))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v)
	text, err := sexpr.Canonical(v)
	fmt.Println(text, err)
	// Output:
	// (:tool "shell" :args (:timeout 30 :cmd "git status"))
	// (:args (:cmd "git status" :timeout 30) :tool "shell") <nil>
}

// An error says where, what was found, and what would be right.
func ExampleError() {
	_, err := sexpr.Read("rules.lisp", "(deftool shell\n  :timeout 30s)")
	fmt.Println(err)
	// Output: rules.lisp:2:12: found "30s", expected a number such as 12, -0.5 or 1e9
}

// What a model says around its proposal is left out, and what it got nearly
// right is put right.
func ExampleReader_ReadReply() {
	reply := sexpr.Reader{}.ReadReply("Let me look first.\n```lisp\n(TYPE request PAYLOAD (TOOL \"shell\" ARGS (:cmd "+
		"\"ls\")))\n```", nil)
	fmt.Println(reply.Kind, reply.Form)
	reply = sexpr.Reader{}.ReadReply(`(:type :request :payload (:tool "shell"`, nil)
	fmt.Println(reply.Kind, reply.Err)
	reply = sexpr.Reader{}.ReadReply("(I think) all is well", nil)
	fmt.Println(reply.Kind, reply.Text)
	// Output:
	// proposal (:type :request :payload (:tool "shell" :args (:cmd "ls")))
	// malformed reply:1:40: found the end of the text, expected ')' 2 times more
	// prose (I think) all is well
}

// Arguments cross to JSON and back without a change.
func ExampleFromJSON() {
	v, err := sexpr.FromJSON([]byte(`{"path": "a.txt", "userId": 7, "ratio": 1.0, "tags": []}`))
	fmt.Println(v, err)
	data, err := sexpr.ToJSON(v)
	fmt.Println(string(data), err)
	_, err = sexpr.FromJSON([]byte(`{"to": "ana", "to": "eve"}`))
	fmt.Println(err)
	// Output:
	// (:path "a.txt" :|userId| 7 :ratio 1.0 :tags nil) <nil>
	// {"path":"a.txt","userId":7,"ratio":1.0,"tags":[]} <nil>
	// 1:15: found the key "to" a second time, expected each key once
}
