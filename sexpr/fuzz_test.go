package sexpr

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// seeds adds every text of the tables.
func seeds(f *testing.F) {
	for _, c := range readCases {
		f.Add(c.text)
	}
	for _, c := range refusals {
		f.Add(c.text)
	}
	f.Add(proposal1K)
}

func FuzzReadPrintRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range []Reader{{}, {Code: true}} {
			all, err := r.ReadAll("in", text)
			if err != nil {
				e := asError(err)
				require.NotZero(t, e.Pos, "%v", err)
				require.NotEmpty(t, e.Expected, "%v", err)
				require.NotContains(t, e.Error(), "\x00")
				continue
			}
			for _, v := range all {
				printed, err := Print(v)
				require.NoError(t, err)
				require.NotContains(t, printed, "\n")
				back, err := Reader{Limits: Limits{Bytes: 8 * (len(text) + 100)}}.Read("printed", printed)
				require.NoError(t, err)
				require.True(t, Equal(v, back), "%s became %s", printed, back)
			}
		}
	})
}

func FuzzCanonical(f *testing.F) {
	f.Add(`(:b 1 :a 2)`, `(:a 2 :b 1)`)
	f.Add(`(:b (:d 1 :c ()))`, `(:|b| (:c nil :D +1))`)
	f.Add(`(1.0 "a")`, `(1 "\u{61}")`)
	f.Add(`(:a 1 :a 2)`, `(:a 2 :a 1)`)
	f.Fuzz(func(t *testing.T, x, y string) {
		v, err := Read("x", x)
		if err != nil {
			return
		}
		text, err := Canonical(v)
		if _, sortErr := Sorted(v); (err == nil) != (sortErr == nil) {
			t.Fatalf("Canonical says %v, Sorted %v", err, sortErr)
		}
		if err != nil {
			return
		}
		wide := Reader{Limits: Limits{Bytes: 8 * (len(x) + 100)}}
		back, err := wide.Read("canonical", text)
		require.NoError(t, err)
		again, err := Canonical(back)
		require.NoError(t, err)
		require.Equal(t, text, again, "idempotent")
		require.True(t, sameMeaning(v, back))

		sorted, err := Sorted(reversed(v))
		require.NoError(t, err)
		require.Equal(t, text, sorted.String(), "whatever the order")

		w, err := Read("y", y)
		if err != nil {
			return
		}
		if other, err := Canonical(w); err == nil {
			require.Equal(t, sameMeaning(v, w), text == other, "injective up to order: %s and %s", text, other)
		}
	})
}

// FuzzJSON comes from the side of JSON. Two judges stand beside it: the standard
// library for what is JSON at all, RFC 8785 for what it means.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,{"b":null}],"userId":"é\ud83d\ude00"}`,
		`[]`, `{}`, `[1e2,-0,-0.0,1E-7]`, `{"a":1,"a":2}`, `"\ud800"`, `9007199254740992`, `1 2`, `[1e400]`, `{"":{"":""}}`,
		`[0.10000000000000001]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := FromJSON(data)
		if err != nil {
			mustHaveRefused(t, data, err)
			return
		}
		require.True(t, json.Valid(data))
		checkBridge(t, v)
		out, err := ToJSON(v)
		require.NoError(t, err)
		require.Equal(t, rfc8785(t, data), rfc8785(t, out), "the same JSON")
		text, err := Canonical(v)
		require.NoError(t, err)
		back, err := Reader{Limits: Limits{Bytes: 8 * (len(data) + 100)}}.Read("canonical", text)
		require.NoError(t, err)
		out, err = ToJSON(back)
		require.NoError(t, err)
		require.Equal(t, rfc8785(t, data), rfc8785(t, out), "the same JSON by way of the canonical form")
	})
}

// mustHaveRefused asserts that data which FromJSON refused is not JSON for the
// judge either, or is refused for one of the reasons that are our own.
func mustHaveRefused(t *testing.T, data []byte, err error) {
	if _, judge := jcs.Transform([]byte("[" + string(data) + "]")); judge != nil || !json.Valid(data) {
		return
	}
	for _, reason := range []string{"within 2^53-1", "losing digits", "at most", "a second time", "lone surrogate"} {
		if strings.Contains(err.Error(), reason) {
			return
		}
	}
	t.Fatalf("refused %q: %v", data, err)
}

// FuzzArgs comes from the other side: whatever may stand in :args crosses the
// bridge and returns.
func FuzzArgs(f *testing.F) {
	seeds(f)
	f.Add(`(:a (1 2.5 (:b null)) :|userId| "é")`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Read("in", text)
		if err != nil {
			return
		}
		_, jsonErr := ToJSON(v)
		if checkErr := CheckJSON(v); checkErr != nil {
			require.EqualError(t, jsonErr, checkErr.Error())
			return
		}
		require.NoError(t, jsonErr)
		checkBridge(t, v)
	})
}

func FuzzReply(f *testing.F) {
	for _, text := range []string{
		gitStatus, fenced("lisp", gitStatus), "Sure!\n" + fenced("plist", gitStatus) + "\nok",
		"(I think) so", "(TYPE REQUEST tool x)", "()", "```",
		"~~~lisp\n(:tool \"a~~~b\")\n~~~",
		"```lisp (:tool \"x\") ``` ```lisp ()```", "> ```lisp (:tool x)```", "(:type :request :payload (:tool",
	} {
		f.Add(text, "")
		f.Add(text, gitStatus)
	}
	f.Fuzz(func(t *testing.T, text, read string) {
		reply := Reader{}.ReadReply(text, []string{read})
		assert.Equal(t, strings.TrimSpace(text), reply.Text)
		switch reply.Kind {
		case Proposal:
			require.NoError(t, reply.Err)
			require.True(t, isProposal(reply.Form))
			require.NoError(t, checkPlists(&reply.Form))
			// Alone, as it was understood, it is understood the same way, and as
			// a quotation it is none.
			alone := Reader{}.ReadReply(reply.Form.String(), nil)
			require.Equal(t, Proposal, alone.Kind, "%v", alone.Err)
			require.True(t, Equal(reply.Form, alone.Form))
			require.NotEqual(t, Proposal, Reader{}.ReadReply(text, []string{text}).Kind)
		case Malformed:
			e := asError(reply.Err)
			require.NotZero(t, e.Pos)
			require.NotEmpty(t, e.Expected)
		default:
			require.NoError(t, reply.Err)
			require.True(t, reply.Form.IsNil())
		}
	})
}
