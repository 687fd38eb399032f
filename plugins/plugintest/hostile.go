package plugintest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func checkBadRequests(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		good := request(p.example())
		change := func(f func(*skillpb.JudgeRequest)) *skillpb.JudgeRequest {
			r := proto.Clone(good).(*skillpb.JudgeRequest)
			r.Id = "bad"
			f(r)
			return r
		}
		action := func(text string) *skillpb.JudgeRequest {
			return change(func(r *skillpb.JudgeRequest) {
				r.Action, r.Digest = text, sexpr.DigestText("cortex/action/1", text).String()
			})
		}
		for what, r := range map[string]*skillpb.JudgeRequest{
			"no action":                     action(""),
			"an action that does not end":   action("(:args ("),
			"two actions":                   action(good.GetAction() + " " + good.GetAction()),
			"an action that is not a plist": action(`"ls"`),
			"the digest of another action": change(func(r *skillpb.JudgeRequest) {
				r.Digest = "sha256:" + strings.Repeat("0", 64)
			}),
			"no digest":               change(func(r *skillpb.JudgeRequest) { r.Digest = "" }),
			"facts that are no plist": change(func(r *skillpb.JudgeRequest) { r.Facts = `("a" "b")` }),
			"facts that do not end":   change(func(r *skillpb.JudgeRequest) { r.Facts = `(:now` }),
			"an action that is too deep": action(`(:args (:x ` + strings.Repeat("(", 5000) + strings.Repeat(")", 5000) +
				`) :target :tool :tool "t" :type :request)`),
		} {
			text, err := proto.Marshal(r)
			if err != nil {
				return err
			}
			if err := p.refuses(ctx, "Judge", what, text); err != nil {
				return err
			}
		}
		if err := p.refuses(ctx, "Judge", "a text that is not UTF-8", []byte("\x0a\x02\xff\xfe")); err != nil {
			return err
		}
		if err := p.refuses(ctx, "Judge", "what is not a message", []byte("\xff\xff\xff\xff")); err != nil {
			return err
		}
		_, err := p.judge(ctx, good)
		return err
	})
}

func checkHuge(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		huge := request(p.example())
		huge.Explanation = strings.Repeat("x", 2<<20)
		text, err := proto.Marshal(huge)
		if err != nil {
			return err
		}
		if err := p.refuses(ctx, "Judge", "2 MiB", text); err != nil {
			return err
		}
		// The largest text that an action can hold is judged, or denied in time.
		a, err := skills.NewAction(p.tool(), sexpr.Plist("text", sexpr.Str(strings.Repeat("(", 256<<10-16))), "")
		if err != nil {
			return err
		}
		return errors.Join(p.survives(ctx, a), p.healthy(ctx))
	})
}

// survives asks for a verdict, and accepts any answer but a crash.
func (p *Process) survives(ctx context.Context, a *skills.Action) error {
	_, err := p.Judge(ctx, a, "{}")
	switch status.Code(err) {
	case codes.Unavailable, codes.Canceled:
		return err
	}
	select {
	case <-p.gone:
		return p.explain(fmt.Errorf("it ended while it judged %s", clip(a.Canonical())))
	default:
		return nil
	}
}

// tool is one that the skill judges.
func (p *Process) tool() string {
	if j := p.Description.GetJudges(); len(j) > 0 {
		return j[0]
	}
	return "shell"
}

// strange are arguments that hardly any schema would accept.
var strange = []string{
	"{}", `(:cmd nil)`, `(:cmd 1)`, `(:cmd ("a" 1.5 {}))`, `(:cmd (:a (:b (:c null))))`, `(:cmd "")`, `(:code "")`,
	`(:cmd "\u{0}")`, `(:code "\u{0}")`, `(:cmd "\u{202e}\u{feff}")`, `(:cmd "` + "\\n\\r\\t\\\\" + `")`,
	`(:cmd "$(((((" :code "(((((")`,
	`(:cmd "'" :code "'''")`, `(:cmd t :code false)`, `(:cmd -9007199254740991 :code 1e300)`,
	`(:|Odd Key| "x" :|| "y")`,
}

func checkStrange(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		nested := func(open, end string) string {
			return `(:cmd "` + strings.Repeat(open, 20_000) + strings.Repeat(end, 20_000) + `" :code "` +
				strings.Repeat(open, 20_000) + `")`
		}
		for _, text := range append(strange, nested("(", ")"), nested("{ ", "}"), nested("-", ""), nested("$(", ")")) {
			args, err := sexpr.Read("args", text)
			if err != nil {
				return err
			}
			a, err := skills.NewAction(p.tool(), args, "")
			if err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
			if err := p.survives(ctx, a); err != nil {
				return err
			}
		}
		return p.healthy(ctx)
	})
}

func checkConcurrent(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		const callers = 32
		p.deadline *= callers
		errs := make([]error, callers)
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				a, err := skills.NewAction(p.tool(), sexpr.Plist("cmd", sexpr.Str(fmt.Sprintf("echo %d", i))), "")
				if err == nil {
					_, err = p.Judge(ctx, a, "{}") // which holds id and digest against the request
				}
				errs[i] = err
			})
		}
		wg.Wait()
		return errors.Join(errs...)
	})
}

func checkDeterministic(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		first := map[string]*skillpb.Judgement{}
		for range 20 {
			for _, x := range p.Description.GetExamples() { // one after the other, so that each could disturb the next
				j, err := p.judge(ctx, request(x))
				if err != nil {
					return err
				}
				j.Id = ""
				key := x.GetAction() + x.GetFacts()
				if before := first[key]; before == nil {
					first[key] = j
				} else if !proto.Equal(before, j) {
					return fmt.Errorf("example %q: it answered %v, and then %v", x.GetName(), before, j)
				}
			}
		}
		return nil
	})
}

func checkAbandoned(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		r := request(p.example())
		for range 50 {
			// However fast it is, this is too late.
			late, cancel := context.WithTimeout(ctx, time.Nanosecond)
			_, _ = p.Skill.Judge(late, r)
			cancel()
			left, leave := context.WithCancel(ctx)
			go func() { _, _ = p.Skill.Judge(left, r) }()
			leave()
		}
		_, err := p.judge(ctx, request(p.example())) // r may still be on its way
		return errors.Join(err, p.healthy(ctx))
	})
}
