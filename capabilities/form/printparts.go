package form

import "github.com/opencortex-go/cortex/sexpr"

// fieldsOf are inputs or outputs as they are written.
func fieldsOf(all []Field) (out plist) {
	for i := range all {
		f := &all[i]
		typ, err := sexpr.Read("", f.Type.Written())
		if err != nil {
			typ = sexpr.Sym("any") // cannot be: the type was read
		}
		var more plist
		if f.From != "" {
			more = more.with("from", sexpr.Sym(f.From))
		}
		if f.To != "" {
			more = more.with("to", sexpr.Sym("work."+f.To))
		}
		if f.Secret {
			more = more.with("secret", sexpr.T())
		}
		if len(more) > 0 {
			head := []sexpr.Value{typ}
			if typ.Kind() == sexpr.List {
				head = typ.Items()
			}
			typ = sexpr.ListOf(append(append([]sexpr.Value{}, head...), more...)...)
		}
		out = out.with(f.Name, typ)
	}
	return out
}

func required(all []Field) (out []sexpr.Value) {
	for _, f := range all {
		if f.Required {
			out = append(out, sexpr.Key(f.Name))
		}
	}
	return out
}

func formsOf(all []*Condition) (out []sexpr.Value) {
	for _, c := range all {
		out = append(out, c.form)
	}
	return out
}

func (o Offer) plist() plist {
	w := plist{}.number("goal", o.Weights.Goal).number("keyword", o.Weights.Keyword).number("entity", o.Weights.Entity).
		number("recent", o.Weights.Recent)
	return plist{}.texts("goals", o.Goals).texts("keywords", o.Keywords).list("weights", w).number("tau", o.Tau).
		whole("cooldown", o.Cooldown).whole("at-once", int64(o.AtOnce))
}

func keyOf(parts []KeyPart) (out []sexpr.Value) {
	for _, p := range parts {
		if p.Input == "" {
			out = append(out, sexpr.Str(p.Text))
		} else {
			out = append(out, sexpr.Key(p.Input))
		}
	}
	return out
}

func namedOf(all []Named) (out plist) {
	for _, n := range all {
		out = out.with(n.Name, n.Value)
	}
	return out
}

func parsersOf(all []Parser) (out plist) {
	for _, p := range all {
		out = out.list(p.Input, plist{}.text("model", p.Model).text("prompt", p.Prompt))
	}
	return out
}

func testsOf(all []Test) (out []sexpr.Value) {
	for _, t := range all {
		if t.File != "" {
			out = append(out, sexpr.Str(t.File))
			continue
		}
		var stubs plist
		for _, s := range t.Stubs {
			stub := plist{}.text("text", s.Text).text("error", s.Error)
			if !s.Result.IsNil() {
				stub = stub.with("result", s.Result)
			}
			stubs = stubs.with(s.Step, sexpr.ListOf(stub...))
		}
		expect := plist{}.with("status", sexpr.Key(t.Expect.Status)).texts("steps", t.Expect.Steps)
		if !t.Expect.Outputs.IsNil() {
			expect = expect.with("outputs", t.Expect.Outputs)
		}
		head := plist{word(t.Name)}.object("inputs", t.Inputs).object("facts", t.Facts).list("stubs", stubs)
		out = append(out, sexpr.ListOf(head.list("expect", expect)...))
	}
	return out
}
