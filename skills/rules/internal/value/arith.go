package value

import (
	"math"
	"math/bits"
)

// Arithmetic is checked: what does not fit is an error, never a wrong number.

const tooLarge = "the result of %s is too large for an integer"

// Add is the sum of two numbers.
func Add(a, b any) any {
	if x, y, ok := ints(a, b); ok {
		if s := x + y; (s > x) == (y > 0) {
			return s
		}
		Fail(tooLarge, "+")
	}
	return finite("+", number(a)+number(b))
}

// Subtract is a less b.
func Subtract(a, b any) any {
	if x, y, ok := ints(a, b); ok {
		if d := x - y; (d < x) == (y > 0) {
			return d
		}
		Fail(tooLarge, "-")
	}
	return finite("-", number(a)-number(b))
}

// Multiply is the product of two numbers.
func Multiply(a, b any) any {
	if x, y, ok := ints(a, b); ok {
		return product(x, y)
	}
	return finite("*", number(a)*number(b))
}

func product(x, y int64) any {
	hi, lo := bits.Mul64(magnitude(x), magnitude(y))
	negative := (x < 0) != (y < 0)
	switch {
	case hi == 0 && lo <= math.MaxInt64 && !negative:
		return int64(lo)
	case hi == 0 && lo <= 1<<63 && negative:
		return -int64(lo)
	}
	Fail(tooLarge, "*")
	return nil
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// Divide always gives a float, as expr does.
func Divide(a, b any) any {
	x, y := number(a), number(b)
	if y == 0 {
		Fail("division by zero")
	}
	return finite("/", x/y)
}

// Negate is -a.
func Negate(a any) any {
	if i, ok := Seen(a).(int64); ok {
		if i == math.MinInt64 {
			Fail(tooLarge, "-")
		}
		return -i
	}
	return -number(a)
}

// Min is the lesser of two numbers, by exact value; of equal ones the first.
func Min(a, b any) any {
	if a, b = numeral(a), numeral(b); order(b, a) < 0 {
		return b
	}
	return a
}

// Max is the greater of two numbers, by exact value; of equal ones the first.
func Max(a, b any) any {
	if a, b = numeral(a), numeral(b); order(b, a) > 0 {
		return b
	}
	return a
}

// Modulo is what is left of a, divided by b: both integers. Its sign is that of b, so
// that (mod -1 7) is 6.
func Modulo(a, b any) any {
	x, y, ok := ints(a, b)
	switch {
	case !ok:
		Fail("found %s and %s, expected integers", KindOf(Seen(a)), KindOf(Seen(b)))
	case y == 0:
		Fail("division by zero")
	}
	rest := x % y
	if rest != 0 && (rest < 0) != (y < 0) {
		rest += y
	}
	return rest
}

// Floor is the greatest integer that is at most a.
func Floor(a any) any {
	f, ok := numeral(a).(float64)
	if !ok {
		return Seen(a)
	}
	if f = math.Floor(f); f < -(1<<63) || f >= 1<<63 {
		Fail(tooLarge, "floor")
	}
	return int64(f)
}

// Absolute is a without its sign.
func Absolute(a any) any {
	switch x := numeral(a).(type) {
	case int64:
		if x == math.MinInt64 {
			Fail(tooLarge, "abs")
		}
		return max(x, -x)
	case float64:
		return math.Abs(x)
	}
	return nil
}

// numeral is v if it is a number.
func numeral(v any) any {
	v = Seen(v)
	switch v.(type) {
	case int64, float64:
	default:
		Fail("found %s, expected a number", KindOf(v))
	}
	return v
}

// Sum adds the elements of a list that is known to its end; of none it is 0.
func Sum(v any) any {
	var total any = int64(0)
	for _, x := range whole(v.([]any)) {
		total = Add(total, x)
	}
	return total
}

func ints(a, b any) (x, y int64, ok bool) {
	x, ok = Seen(a).(int64)
	if !ok {
		return 0, 0, false
	}
	y, ok = Seen(b).(int64)
	return x, y, ok
}

// number is v as a float, if that loses nothing.
func number(v any) float64 {
	switch x := Seen(v).(type) {
	case float64:
		return x
	case int64:
		if f := float64(x); compareIntFloat(x, f) == 0 {
			return f
		}
		Fail("%d has no exact float", x)
	}
	Fail("found %s, expected a number", KindOf(v))
	return 0
}

func finite(op string, f float64) any {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		Fail("the result of %s is not a finite number", op)
	}
	return f
}
