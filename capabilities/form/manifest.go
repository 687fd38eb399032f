package form

import "github.com/opencortex-go/cortex/sexpr"

// manifest turns the JSON of a manifest into a definition.
func (f *faults) manifest(v sexpr.Value) sexpr.Value { return v }
