package condition

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// spelledRight reports whether an argument of a tool that is not known here is
// spelled as some tool declares it. One that differs by case alone can only be
// a slip.
func (l *lowerer) spelledRight(v sexpr.Value, k string) bool {
	near := ""
	for _, t := range l.b.Tools {
		for _, p := range t.Params {
			if p.Name == k {
				return true
			}
			if FoldEqual(p.Name, k) && (near == "" || p.Name < near) {
				near = p.Name
			}
		}
	}
	if near != "" {
		l.fail(v.Pos(), "the name is spelled %s; write it so, in bars if it has capitals", PrintKey(near))
	}
	return near == ""
}

// argsType is the type of action.args on the tools that the action may be on.
func (l *lowerer) argsType() facts.Type {
	obj := facts.Type{Kind: facts.Record}
	if len(l.tools) == 0 {
		return obj
	}
	all := facts.Type{Kind: facts.Record, Name: strings.Join(l.tools, ", "), Fields: []facts.Field{}}
	for _, name := range l.tools {
		t := l.b.Tools[name]
		if t == nil {
			return obj // nobody declared it: anything may be there
		}
		for _, p := range t.Params {
			pt := typeOfParam(&p.Type)
			if i := slices.IndexFunc(all.Fields, func(f facts.Field) bool { return f.Name == p.Name }); i < 0 {
				all.Fields = append(all.Fields, facts.Field{Name: p.Name, Type: pt})
			} else if all.Fields[i].Type.Kind != pt.Kind || len(l.tools) > 1 &&
				(pt.Kind == facts.List || pt.Kind == facts.Record) {
				all.Fields[i].Type = facts.Type{}
			}
		}
	}
	return all
}

// typeOfParam is what a condition may expect of an argument that passed the
// schema.
func typeOfParam(t *skills.Type) facts.Type {
	if t.Nullable {
		return facts.Type{}
	}
	switch t.Kind {
	case skills.KindString, skills.KindEnum, skills.KindCommand, skills.KindPath, skills.KindHost, skills.KindURL,
		skills.KindSQL:
		return facts.Type{Kind: facts.String}
	case skills.KindBoolean:
		return boolean
	case skills.KindInteger:
		return facts.Type{Kind: facts.Int}
	case skills.KindNumber:
		return numeric
	case skills.KindList:
		out := facts.Type{Kind: facts.List}
		if t.Elem != nil {
			e := typeOfParam(t.Elem)
			out.Elem = &e
		}
		return out
	case skills.KindObject:
		out := facts.Type{Kind: facts.Record, Fields: []facts.Field{}}
		for _, p := range t.Params {
			out.Fields = append(out.Fields, facts.Field{Name: p.Name, Type: typeOfParam(&p.Type)})
		}
		return out
	case skills.KindAny:
	}
	return facts.Type{}
}
