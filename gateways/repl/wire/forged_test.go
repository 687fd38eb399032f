//go:build linux

package wire

import (
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// auth is a request that shows a secret, written as it is given.
func auth(secret string) string {
	return `(:id 1 :type :request :target :auth :payload (:secret ` + secret + `))`
}

// forgeries are what a client may send in place of the pairing secret, by name; none
// holds it. another is what others have sent and been told on connections of their own.
func forgeries(secret, old string, another []string) map[string][]string {
	out := map[string][]string{}
	shows := func(name, s string) { out["a secret: "+name] = []string{auth(sexpr.Str(s).String())} }
	for i := 0; i < len(secret); i++ {
		c := byte('a')
		if secret[i] == c {
			c = 'b'
		}
		shows(fmt.Sprint("another character at ", i), secret[:i]+string(c)+secret[i+1:])
		shows(fmt.Sprint("the first ", i), secret[:i])
		if i > 0 {
			shows(fmt.Sprint("from ", i), secret[i:])
		}
		if flipped := strings.Map(flip, secret[i:i+1]); flipped != secret[i:i+1] {
			shows(fmt.Sprint("other case at ", i), secret[:i]+flipped+secret[i+1:])
		}
	}
	for name, s := range map[string]string{
		"lower case": strings.ToLower(secret), "upper case": strings.ToUpper(secret), "other case": strings.Map(flip, secret),
		"twice":          secret + secret,
		"a blank behind": secret + " ", "a blank before": " " + secret, "a line break": secret + "\n",
		"in quotes": `"` + secret + `"`, "an escape": secret + "\x1b[0m",
		"zero width": secret[:4] + "\u200b" + secret[4:], "full width": strings.Map(func(r rune) rune {
			return r + 0xfee0
		}, secret), "a NUL in words": secret + `\u{0}`,
		"percent": secret + "%00", "backwards": backwards(secret), "the one before": old, "nothing": "", "a wildcard": "*",
		"a pattern": ".*", "a path": "/proc/self/environ",
		"a name": "operator", "a hash": strings.Repeat("0", 64), "SQL": "' or 1=1 --", "a form": `(pair)`,
		"long": strings.Repeat(secret, 100),
	} {
		if s != secret {
			shows(name, s)
		}
	}
	for _, v := range []string{
		"nil", "t", "1", "-1", "1.5", ":secret", "secret", "()", "(1 2)", `(:secret "x")`, `("x" . "y")`, `'x`, `#.(secret)`,
		`"unfinished`, "", `"x" :secret "y"`,
	} {
		out["a value: "+v] = []string{auth(v)}
	}
	for _, s := range []string{
		`(:id 1 :type :request :target :auth)`,
		`(:id 1 :type :request :target :auth :payload nil)`, `(:id 1 :type :request :target :auth :payload "x")`,
		`(:id 1 :type :request :target :auth :secret "x" :payload ())`,
		`(:id 1 :type :request :target "auth" :payload (:secret "x"))`,
		`(:id 1 :type :request :target :authenticated :payload (:approver "operator"))`,
		`(:id 1 :type :request :target :repl :payload (:approver "operator" :form 1))`,
		`(:id 1 :type :response :target :auth :payload (:ok t :approver "operator"))`,
		`(:id 1 :type :event :target :auth :payload (:secret "x"))`,
		`(:id 1 :type :event :payload (:action :handshake :approver "operator" :principal "root" :uid 0))`,
		`(:id 1 :type :log :payload (:text "paired"))`,
		`(:type :request :target :auth :payload (:uid 0 :pid 1))`,
		`(:id "1" :type :request :target :auth :payload (:principal "operator"))`,
		`(:id 1 :type :health-check :approver "operator")`,
		`(:id 1 :type :request :target :auth :payload (:secret-hash "x"))`,
		`(:id 1 :type :request :target :auth :payload (:token "x"))`,
		`(:id 1 :type :request :target :auth :payload (:password "x"))`,
		`(:id 1 :type :request :target :auth :payload (:approved t))`, `(auth "x")`, `:auth`, `"auth"`, ``, `nil`,
	} {
		out["a message: "+s] = []string{s}
	}
	for i, s := range another {
		out[fmt.Sprint("a replay: ", i)] = []string{s}
	}
	out["a replay of all"] = another
	return out
}

func flip(r rune) rune {
	switch s := string(r); s {
	case strings.ToLower(s):
		return []rune(strings.ToUpper(s))[0]
	default:
		return []rune(strings.ToLower(s))[0]
	}
}

func backwards(s string) string {
	out := ""
	for _, r := range s {
		out = string(r) + out
	}
	return out
}

// Not one of hundreds of forged identities approves anything or has anything evaluated
// on the approval socket. The secret itself approves nothing on the plain one, nor in
// the hands of a process that the daemon started.
func TestThreat_ForgedIdentitiesApproveNothing(t *testing.T) {
	var approvers int
	h := open(t, asking(1), func(s setup) {
		s.callers = func(c repl.Caller) {
			if c.Approver != nil {
				approvers++
			}
		}
	})
	old, err := h.engine.Approvals().Pair(t.Context(), false)
	require.NoError(t, err)
	secret, err := h.engine.Approvals().Pair(t.Context(), true)
	require.NoError(t, err)
	out, err := h.dial(h.opt.Socket).Signal(t.Context(), client.Message{Text: "do 0."})
	require.NoError(t, err)
	require.NotEmpty(t, out.Approval)
	approve := `(:id 9 :type :request :target :repl :payload (:form (approve "` + out.Approval + `")))`

	// What another connection hears after the true secret is worth nothing on the next.
	other := h.raw(h.opt.Approvals)
	granted := other.ask(auth(sexpr.Str(secret).String()))
	_, ok := granted.Get("payload")
	require.True(t, ok)
	another := []string{granted.String(), `(:id 2 :type :request :target :repl :payload (:form (approvals)))`,
		h.raw(h.opt.Approvals).ask(`(:id 3 :type :health-check)`).String()}

	forged := forgeries(secret, old, another)
	for name, texts := range forged {
		for _, path := range []string{h.opt.Approvals, h.opt.Socket} {
			says(t, h, path, name, append(texts, approve)...)
		}
	}
	says(t, h, h.opt.Socket, "the secret on the plain socket", auth(sexpr.Str(secret).String()), approve)
	for _, path := range []string{h.opt.Approvals, h.opt.Socket} {
		got := h.away(path, frame(auth(sexpr.Str(secret).String()))+frame(approve), func(*exec.Cmd) {})
		assert.Contains(t, got, ":code :refused", "a process that the daemon started")
	}
	card, err := h.engine.Approvals().Get(t.Context(), out.Approval)
	require.NoError(t, err)
	assert.Equal(t, cortex.Pending, card.State)
	assert.Zero(t, approvers)
	assert.Empty(t, h.acts.all())
	assert.NotContains(t, h.log.String(), secret)
	assert.NotContains(t, h.log.String(), old)
	assert.GreaterOrEqual(t, len(forged), 100)
	t.Logf("RESULT %d forged identities on each socket, 0 approvals", len(forged))

	require.NoError(t, h.engine.Operations().Wait(t.Context()))
	_, err = typed(t, h.approver(secret), `(approve "`+out.Approval+`")`)
	require.NoError(t, err)
	require.NoError(t, h.engine.Operations().Wait(t.Context()))
	assert.Len(t, h.acts.all(), 1, "the secret itself approves")
}

// says sends frames on a connection of its own, the last of which asks for an approval,
// and sees that it was not given.
func says(t *testing.T, h *house, path, name string, texts ...string) {
	t.Helper()
	r := h.raw(path)
	for _, s := range texts { // one that is not a message may end the connection
		if _, err := io.WriteString(r.nc, frame(s)); err != nil {
			break
		}
	}
	_ = r.nc.CloseWrite()
	for {
		v, err := sexpr.Reader{Limits: protocol.Answers}.ReadFrame(r.in)
		if err != nil {
			return
		}
		if v.GetInt("id") == 9 {
			code, text := problem(v)
			require.NotEmpty(t, code, "%s: %s", name, v)
			require.NotEmpty(t, text, "%s: %s", name, v)
		}
	}
}
