package form

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Canonical is the capability as canonical JSON, which [Load] reads. Do not change the slice.
func (c *Capability) Canonical() []byte { return c.canonical }

// Hash names the capability: the SHA-256 of [Capability.Canonical].
func (c *Capability) Hash() sexpr.Digest { return c.hash }

// encode makes the canonical form.
func (c *Capability) encode(f *faults) {
	text, err := canon.Of(c)
	if err != nil {
		f.add(c.at, "%s cannot be written: %s", c.ID, err)
		return
	}
	c.canonical, c.hash = text, canon.Digest(text)
}

// Load reads a capability that was kept: the bytes of [Capability.Canonical]. It refuses other bytes,
// such as those of an unknown version, and those that are not canonical.
func Load(canonical []byte) (*Capability, error) {
	var version struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(canonical, &version); err != nil {
		return nil, fmt.Errorf("a capability: %w", err)
	}
	if version.Schema != SchemaVersion {
		return nil, fmt.Errorf("a capability of version %d, and this program reads version %d",
			version.Schema, SchemaVersion)
	}
	c := &Capability{}
	if err := json.Unmarshal(canonical, c); err != nil {
		return nil, fmt.Errorf("a capability: %w", err)
	}
	f := &faults{file: c.ID}
	again := f.parse([]byte(c.Print())) // so that what is kept obeys what is written
	if err := f.err(); err != nil {
		return nil, err
	}
	if len(again) != 1 || !bytes.Equal(again[0].canonical, canonical) {
		return nil, fmt.Errorf("a capability: the bytes are not the canonical ones of %s", c.ID)
	}
	c.canonical, c.hash = again[0].canonical, again[0].hash
	c.compile(f, "")
	return c, f.err()
}

// kept is the JSON of a capability: its own members, and what has another form there.
type kept struct {
	Schema int `json:"schema"`
	*plain
	Clauses []clause `json:"gate,omitempty"`
}

type plain Capability

// clause is a form whose JSON is its text.
type clause struct{ v sexpr.Value }

// MarshalJSON writes the text of the form.
func (c clause) MarshalJSON() ([]byte, error) { return marshalForm(c.v) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *clause) UnmarshalJSON(text []byte) (err error) {
	c.v, err = unmarshalForm(text)
	return err
}

// MarshalJSON writes the members of the canonical form.
func (c *Capability) MarshalJSON() ([]byte, error) {
	k := kept{Schema: SchemaVersion, plain: (*plain)(c)}
	for _, v := range c.Gate.Items() {
		k.Clauses = append(k.Clauses, clause{v})
	}
	return json.Marshal(k)
}

// UnmarshalJSON reads what MarshalJSON wrote. [Load] compiles it.
func (c *Capability) UnmarshalJSON(text []byte) error {
	k := kept{plain: (*plain)(c)}
	if err := json.Unmarshal(text, &k); err != nil {
		return err
	}
	var gate []sexpr.Value
	for _, x := range k.Clauses {
		gate = append(gate, x.v)
	}
	c.Gate = sexpr.ListOf(gate...)
	return nil
}

type plainField Field

// keptField is the JSON of a field, whose type is written as in rule files.
type keptField struct {
	*plainField
	Type clause `json:"type"`
}

// MarshalJSON writes the type as rule files do.
func (f Field) MarshalJSON() ([]byte, error) {
	typ, err := sexpr.Read("", f.Type.Written())
	if err != nil {
		return nil, fmt.Errorf("the type of %s: %w", f.Name, err)
	}
	return json.Marshal(keptField{(*plainField)(&f), clause{typ}})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *Field) UnmarshalJSON(text []byte) error {
	k := keptField{plainField: (*plainField)(f)}
	if err := json.Unmarshal(text, &k); err != nil {
		return err
	}
	params, err := rules.Params(f.Name, "", sexpr.ListOf(sexpr.Key(f.Name), k.Type.v))
	if err != nil {
		return err
	}
	f.Type = params[0].Type
	return nil
}
