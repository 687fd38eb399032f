package plans

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
)

// Data is a value whose shape is free: arguments, a schema, an example. Its JSON is that of
// [sexpr.ToJSON]. The zero Data is none at all.
type Data struct{ v *sexpr.Value }

// DataOf returns v as Data, or an error where it has no JSON.
func DataOf(v sexpr.Value) (Data, error) {
	if err := sexpr.CheckJSON(v); err != nil {
		return Data{}, err
	}
	return Data{&v}, nil
}

// Value returns the value; nil, the empty list, for the zero Data.
func (d Data) Value() sexpr.Value {
	if d.v == nil {
		return sexpr.Nil()
	}
	return *d.v
}

// IsZero reports whether there is none.
func (d Data) IsZero() bool { return d.v == nil }

// MarshalJSON writes the value. The zero Data has no JSON: leave it out.
func (d Data) MarshalJSON() ([]byte, error) {
	if d.v == nil {
		return nil, errors.New("no data")
	}
	return sexpr.ToJSON(*d.v)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (d *Data) UnmarshalJSON(text []byte) error {
	v, err := sexpr.FromJSON(text)
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	d.v = &v
	return nil
}
