package condition

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// refValue is what the reference answers as a value that can be set: nothing in it
// unknown, no pattern, and no integer that JSON would lose.
func refValue(x any) (any, error) {
	x, err := refRead(x)
	if err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case int64:
		if x > 1<<53-1 || x < -(1<<53-1) {
			return nil, refError("too large")
		}
	case []any:
		out := []any{}
		for _, e := range x {
			if e, err = refValue(e); err != nil {
				return nil, err
			}
			out = append(out, e)
		}
		return out, nil
	case map[string]any:
		out := map[string]any{}
		for k, e := range x {
			if out[k], err = refValue(e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case string, bool, float64, skills.Null:
	case facts.Unknown:
		return nil, refError("unknown")
	}
	return x, nil
}

// TestValuesAgainstReference: over random forms and cases, what a rewrite computes is
// what the reference computes, or neither computes anything.
func TestValuesAgainstReference(t *testing.T) {
	loaded, refused, values, errs := 0, 0, 0, 0
	b, src := bench(t)
	one := func(rt *rapid.T) {
		w := &writer{t: rt}
		form := w.form(w.pick("kind", "text", "number", "list", "any"))
		v, err := sexpr.Reader{Code: true}.Read("t.lisp", form)
		if err != nil {
			rt.Fatal(err)
		}
		src.wrong, src.text = nil, form
		c, ok := b.CompileValue(src, v, nil)
		if !ok {
			refused++
			return
		}
		loaded++
		for range 8 {
			k, ref := drawCase(rt)
			x, wantErr := ref.eval(v)
			if wantErr == nil {
				x, wantErr = refValue(x)
			}
			got, err := c.Value(k)
			if (err != nil) != (wantErr != nil) || err == nil && !reflect.DeepEqual(skills.Native(got), x) {
				rt.Fatalf("%s\nwith %s %s: found %s, %v; the reference %v, %v", form, k.Action().Args(), k.Facts().Ctx, got, err,
					x, wantErr)
			}
			if err != nil {
				errs++
				if !isUnjudged(err) {
					rt.Fatalf("%s: %v is our mistake", form, err)
				}
				continue
			}
			values++
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		for range 10 {
			one(rt)
		}
	})
	t.Logf("%d forms loaded, %d were refused; %d values, %d errors", loaded, refused, values, errs)
	if loaded < refused/20 || values < errs/20 || errs == 0 {
		t.Error("the generator writes forms that test nothing")
	}
}
