package value

import "testing"

func BenchmarkArithmetic(b *testing.B) {
	for name, f := range map[string]func(any) any{
		"min": func(a any) any { return Min(a, int64(7)) }, "max": func(a any) any { return Max(a, 7.5) },
		"mod": func(a any) any { return Modulo(a, int64(7)) }, "floor": Floor, "abs": Absolute,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f(int64(-1000))
			}
		})
	}
}
