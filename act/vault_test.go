package act_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// safe is a vault in memory.
type safe map[string]string

func (s safe) Secret(_ context.Context, name string) (string, error) {
	if v, ok := s[name]; ok {
		return v, nil
	}
	return "", fmt.Errorf("/etc/vault/%s: no such file", name)
}

var loginTool = skills.Tool{Name: "login", Secret: []string{"password"}, Params: []skills.Param{
	{Name: "user", Type: skills.Type{Kind: skills.KindAny}}, {Name: "password",
		Type: skills.Type{Kind: skills.KindString}}}}

func TestRow065_AReferenceIsResolvedByTheActuatorAlone(t *testing.T) {
	const secret = `tok"123456789`
	for _, c := range []struct {
		name, args string
		act        act.Func
		want       act.Receipt
		got        string
	}{
		{"its value goes to the actuator, and not back", `(:user "ana" :password (:vault "telegram"))`,
			func(_ context.Context, c act.Call) (act.Receipt, error) {
				return act.Receipt{State: act.Done, Text: "my " + secret + " leaked", Result: sexpr.Plist("got",
					sexpr.Str(secret))}, nil
			},
			act.Receipt{State: act.Done, Text: "my [secret] leaked", Result: sexpr.Plist("got", sexpr.Str("[secret]"))}, secret},
		{"an error that quotes it as JSON and in base64", `(:password (:vault "telegram"))`,
			func(context.Context, act.Call) (act.Receipt, error) {
				return act.Receipt{}, fmt.Errorf(`refused {"p":%q} dG9rIjEyMzQ1Njc4OQ`, secret)
			},
			act.Receipt{State: act.Failed, Error: `refused {"p":"[secret]"} [secret]`}, secret},
		{"a panic that quotes it", `(:password (:vault "telegram"))`,
			func(context.Context, act.Call) (act.Receipt, error) { panic("oh " + secret) },
			act.Receipt{State: act.Unknown, Error: "the tool broke off: oh [secret]"}, secret},
		{"a value of five bytes is not looked for", `(:password (:vault "short"))`,
			func(context.Context, act.Call) (act.Receipt, error) {
				return act.Receipt{State: act.Done, Text: "12345"}, nil
			},
			act.Receipt{State: act.Done, Text: "12345"}, "12345"},
		{"what is not declared as secret is no reference", `(:user (:vault "telegram") :password "own")`,
			func(context.Context, act.Call) (act.Receipt, error) {
				return act.Receipt{State: act.Done, Text: secret}, nil
			},
			act.Receipt{State: act.Done, Text: secret}, "own"},
		{"a name that the vault does not have", `(:password (:vault "other"))`, nil,
			act.Receipt{State: act.Nothing, Error: `the vault has no secret "other" for this; nothing was done`}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			got := ""
			r, err := act.NewRegistry(act.Tool{Schema: &loginTool, Actuator: act.Func(
				func(ctx context.Context, call act.Call) (act.Receipt, error) {
					got = call.Action.Args().GetText("password")
					return c.act(ctx, call)
				})})
			require.NoError(t, err)
			args, err := sexpr.Read("args", c.args)
			require.NoError(t, err)
			a, err := skills.NewAction("login", args, "")
			require.NoError(t, err)
			d := act.NewDispatcher(begins{in: act.Intent{ID: 1, Decision: 1, Key: "k", Action: a, Tool: &loginTool}}, r)
			d.Vault = safe{"telegram": secret, "short": "12345"}
			d.Logger = slog.New(slog.NewTextHandler(&log, nil))
			p, err := d.Begin(t.Context(), 1)
			require.NoError(t, err)
			rc, err := d.Dispatch(t.Context(), p)
			require.NoError(t, err)
			rc.Took = 0
			assert.Equal(t, c.want, rc)
			assert.Equal(t, c.got, got)
			assert.NotContains(t, log.String(), "123456789")
		})
	}
}

func TestRow065_TheSchemaTakesAReferenceForASecretTextAlone(t *testing.T) {
	for args, ok := range map[string]bool{
		`(:user "a" :password (:vault "x"))`: true, `(:password (:vault 1))`: false, `(:password (:vault ""))`: false,
		`(:password (:vault "x" :more t))`: false, `(:password (:other "x"))`: false,
	} {
		v, err := sexpr.Read("args", args)
		require.NoError(t, err)
		_, err = loginTool.Check(v)
		assert.Equal(t, ok, err == nil, "%s: %v", args, err)
	}
}
