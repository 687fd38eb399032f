package judging

import (
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// found is where a value of the action came from.
type found struct {
	Argument string `json:"argument"`
	Origin   string `json:"origin"`
	Why      string `json:"why,omitempty"` // it is not known
	Role     string `json:"role,omitempty"`
	Turn     uint64 `json:"turn,omitempty"` // of the session, from 1: its first message, then its calls
	Tool     string `json:"tool,omitempty"`
	Item     int    `json:"item,omitempty"` // of the result, from 1
	Field    string `json:"field,omitempty"`
	Text     string `json:"text,omitempty"`
}

// origins says where the values of a judged action came from, if the rules ask that.
func (j *judging) origins(d *reason.Decision, f *skills.Facts) (out []found) {
	book, _ := j.policy.(*rules.Rulebook)
	list, err := reason.Origins(book, d, f)
	if err != nil {
		return nil // a clause that asked has said so
	}
	for _, o := range list {
		out = append(out, found{o.Name, o.Origin, o.Why, o.Role, o.Ref, o.Tool, o.Record, o.Field, o.Text})
	}
	return out
}
