package reason

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// guarded decides on a tool that everything else allows.
func guarded(t *testing.T, p skills.Policy, tool, key, value string) *Decision {
	t.Helper()
	form := sexpr.Plist("tool", sexpr.Str(tool), "args", sexpr.Plist(key, sexpr.Str(value)))
	text, err := sexpr.Print(form)
	if err != nil {
		t.Fatal(err)
	}
	return decide(t, p, text, func(r *Request) {
		r.Places = &Places{Paths: []string{"/var/lib/cortex", "/home/u/.config/cortex/rules"},
			Hosts: []string{"localhost:9105", "[fd00::1]:80"}}
		r.Facts = &skills.Facts{Env: sexpr.Plist("cwd", sexpr.Str("/workspace"), "home", sexpr.Str("/home/u"))}
	})
}

func guardedBook(gates ...skills.Gate) *book {
	kind := func(name string, k skills.ParamKind) []skills.Param {
		return []skills.Param{{Name: name, Type: skills.Type{Kind: k}}}
	}
	b := &book{tools: append(skills.BuiltinTools(),
		&skills.Tool{Name: "shell", Tier: skills.TierAllow, Params: kind("cmd", skills.KindCommand)},
		&skills.Tool{Name: "write", Tier: skills.TierAllow, Params: kind("path", skills.KindPath)},
		&skills.Tool{Name: "look", Tier: skills.TierAllow, Effect: skills.EffectNone, Params: kind("path", skills.KindPath)},
		&skills.Tool{Name: "title", Tier: skills.TierAllow, Params: kind("title", skills.KindString)},
		&skills.Tool{Name: "fetch", Tier: skills.TierAllow, Params: kind("url", skills.KindURL)},
	)}
	if len(gates) > 0 {
		b.skills = []*skills.Skill{skill("s", 1, gates...)}
	}
	return b
}

func TestSelfProtection(t *testing.T) {
	cases := []struct{ tool, key, value, want string }{
		// Touches the guard: denied, in every spelling.
		{"shell", "cmd", "cat /var/lib/cortex/journal", "self-protection"},
		{"shell", "cmd", "cat /var/lib/./x/../cortex/journal", "self-protection"},
		{"shell", "cmd", "cat /var/lib/cort''ex/journal", "self-protection"},
		{"shell", "cmd", `cat "/var/lib/"cortex/journal`, "self-protection"},
		{"shell", "cmd", "cd /var/lib && rm -rf cortex", "self-protection"},
		{"shell", "cmd", "echo x > /var/lib/cortex/x", "self-protection"},
		{"shell", "cmd", "sudo sh -c 'rm -rf /var/lib/cortex'", "self-protection"},
		{"shell", "cmd", "rm -rf ~/.config/cortex/rules/a.lisp", "self-protection"},
		{"shell", "cmd", "cat ../home/u/.config/cortex/rules/a.lisp", "self-protection"},
		{"shell", "cmd", "rm -rf /var/lib/*", "self-protection"},
		{"shell", "cmd", "cat /var/lib/c?rtex/journal", "self-protection"},
		{"shell", "cmd", "rm -rf /var/lib/{cortex,x}", "self-protection"},
		{"shell", "cmd", `python3 -c 'open("/var/lib/cortex/secret")'`, "self-protection"},
		{"shell", "cmd", "curl http://localhost:9105/approve", "self-protection"},
		{"write", "path", "/var/lib/cortex", "self-protection"},
		{"write", "path", "/workspace/../var/lib/cortex/x", "self-protection"},
		{"look", "path", "~/.config/cortex/rules", "self-protection"},
		{"title", "title", "/var/lib/cortex", "self-protection"},
		{"unheard", "code", `open("/var/lib/cortex/secret")`, "self-protection"},
		{"unheard", "code", "/var/lib/cortex;ls", "self-protection"},
		{"fetch", "url", "http://LOCALHOST/x", "self-protection"},
		{"fetch", "url", "http://[fd00::1]/x", "self-protection"},

		// It cannot be determined: a person is asked.
		{"shell", "cmd", "cat $X", "self-protection/unresolved"},
		{"shell", "cmd", "rm $(cat list)", "self-protection/unresolved"},
		{"shell", "cmd", "$X", "self-protection/unresolved"},
		{"shell", "cmd", "f() { rm x; }; f", "self-protection/unresolved"},
		{"shell", "cmd", "cat 'unbalanced", "self-protection/unresolved"},
		{"shell", "cmd", "cd $X; rm -rf cortex", "self-protection/unresolved"},
		{"shell", "cmd", "rm -rf /var", "self-protection/unresolved"},
		{"shell", "cmd", "rm -rf /", "self-protection/unresolved"},
		{"shell", "cmd", "rm -rf /va*", "self-protection/unresolved"},
		{"shell", "cmd", "rm -rf /v[a]r/li?", "self-protection/unresolved"},
		{"shell", "cmd", "grep -r token ~", "self-protection/unresolved"},
		{"shell", "cmd", "ls -R /var/lib", "self-protection/unresolved"},
		{"write", "path", "/var/lib", "self-protection/unresolved"},
		{"write", "path", "~root/x", "self-protection/unresolved"},
		{"shell", "cmd", "cat ~root/x", "self-protection/unresolved"},

		// Has nothing to do with it.
		{"shell", "cmd", "ls /var/lib", "tier/shell"},
		{"shell", "cmd", "cd /", "tier/shell"},
		{"shell", "cmd", "git status", "tier/shell"},
		{"shell", "cmd", "rm -rf /tm*/x", "tier/shell"},
		{"shell", "cmd", "", "tier/shell"},
		{"shell", "cmd", "cat notes.txt > out.txt", "tier/shell"},
		{"shell", "cmd", "rm -rf *", "tier/shell"},
		{"shell", "cmd", "cat /var/lib/cortex-other/x", "tier/shell"},
		{"shell", "cmd", "cat /var/lib/cortex.bak", "tier/shell"},
		{"shell", "cmd", "cat $HOME/x", "tier/shell"},
		{"shell", "cmd", "curl https://example.com/9105", "tier/shell"},
		{"look", "path", "/var/lib", "tier/look"},
		{"write", "path", "/workspace/x", "tier/write"},
		{"title", "title", "either/or", "tier/title"},
		{"fetch", "url", "http://localhost.example.com", "tier/fetch"},
		{"reply", "text", "my state is in /var/lib/cortex", "tier/reply"},
	}
	for _, c := range cases {
		d := guarded(t, guardedBook(), c.tool, c.key, c.value)
		assert.Equal(t, c.want, d.Key, "%s %q: %+v", c.tool, c.value, d.Reasons)
		want := map[string]Kind{"self-protection": Deny, "self-protection/unresolved": Ask}[c.want]
		if c.want[:4] == "tier" {
			want = Allow
		}
		assert.Equal(t, want, d.Kind, "%s %q", c.tool, c.value)
	}
}

func TestSelfProtectionIsNoRuleToBeRemoved(t *testing.T) {
	vouch := says("s/ok", skills.Allow{Reason: because("s/ok")})
	d := guarded(t, guardedBook(vouch), "shell", "cmd", "cat $X")
	assert.Equal(t, Ask, d.Kind, "no allow clause removes the ask")
	assert.Equal(t, "self-protection/unresolved", d.Key)
	assert.Equal(t, []string{"0 self-protection asked", "1 s/ok vouched"}, outcomes(d))
	d = guarded(t, guardedBook(vouch), "shell", "cmd", "cat /var/lib/cortex/x")
	assert.Equal(t, Deny, d.Kind)
	assert.Zero(t, d.Rounds, "no gate is asked")
	assert.Equal(t, []string{"0 self-protection rejected"}, outcomes(d))
	assert.False(t, d.Retry)
	assert.NotContains(t, d.Reasons[0].Text, "/var/lib/cortex", "the model is not told where the guard lives")

	// A rewrite into a protected place is caught, one out of it is too late, and
	// one that makes an unresolved word plain removes the ask.
	to := func(cmd string) skills.Gate {
		return says("s/set", skills.Rewrite{Set: sexpr.Plist("cmd", sexpr.Str(cmd))})
	}
	d = guarded(t, guardedBook(to("cat /var/lib/cortex/x")), "shell", "cmd", "ls")
	assert.Equal(t, "self-protection", d.Key)
	d = guarded(t, guardedBook(to("ls")), "shell", "cmd", "cat /var/lib/cortex/x")
	assert.Equal(t, "self-protection", d.Key)
	d = guarded(t, guardedBook(to("ls")), "shell", "cmd", "cat $X")
	assert.Equal(t, Allow, d.Kind)
	d = guarded(t, guardedBook(to("cat $X")), "shell", "cmd", "ls")
	assert.Equal(t, Ask, d.Kind)

	// An approved one is allowed; without protected places the step is empty.
	ask := guarded(t, guardedBook(), "shell", "cmd", "cat $X")
	form := `(:tool "shell" :args (:cmd "cat $X"))`
	again := decide(t, guardedBook(), form, func(r *Request) {
		r.Places = &Places{Paths: []string{"/var/lib/cortex"}}
		r.Grants = []Grant{{Token: "T", Digest: ask.Action.Digest(), Keys: []sexpr.Digest{ask.Asks[0].Slot.Key}}}
	})
	assert.Equal(t, Allow, again.Kind)
	assert.Equal(t, Allow, decide(t, guardedBook(), form).Kind)
	none := decide(t, guardedBook(), form, func(r *Request) { r.Places = &Places{} })
	assert.Equal(t, Allow, none.Kind)
	assert.Empty(t, none.Trace)
}

func TestPlacesNeedNotBeClean(t *testing.T) {
	for _, place := range []string{"/etc/cortex/", "/opt/x/../../etc/cortex", "/etc//cortex"} {
		d := decide(t, guardedBook(), `(:tool "write" :args (:path "/etc/cortex/a"))`, func(r *Request) {
			r.Places = &Places{Paths: []string{place}}
		})
		assert.Equal(t, KeyProtection, d.Key, place)
	}
}

func BenchmarkSelfProtection(b *testing.B) {
	r := Request{
		Policy: guardedBook(), Proposal: read(b,
			`(:tool "shell" :args (:cmd "git status && cat notes.txt > /workspace/out.txt"))`), NoTrace: true,
		Places: &Places{Paths: []string{"/var/lib/cortex", "/home/u/.config/cortex/rules"},
			Hosts: []string{"localhost:9105"}},
		Facts: &skills.Facts{Env: sexpr.Plist("cwd", sexpr.Str("/workspace"), "home", sexpr.Str("/home/u"))},
	}
	r.Action, _, _ = skills.Propose(r.Proposal, r.Policy)
	b.ReportAllocs()
	for b.Loop() {
		if d := Decide(context.Background(), r); d.Kind != Allow {
			b.Fatal(d.Key)
		}
	}
}
