package plans

import (
	"cmp"
	"slices"

	"github.com/opencortex-go/cortex/plans/source"
)

// features resolves what the workflow switched on, each once and by id.
func (c *compiler) features() {
	for _, f := range c.w.Features {
		known, ok := c.reg.features[f.ID.S]
		if !ok {
			unknown(c.Faults, f.ID.At, "feature", f.ID.S, c.reg.features)
			continue
		}
		if f.Config != nil && !known.Config.B {
			c.Add(f.ID.At, nil, "the feature %s takes no configuration", f.ID.S)
		}
		if !slices.ContainsFunc(c.out.Features, func(x Feature) bool { return x.ID == f.ID.S }) {
			c.out.Features = append(c.out.Features, Feature{ID: f.ID.S, Config: dataOf(f.Config)})
		}
	}
	slices.SortFunc(c.out.Features, func(a, b Feature) int { return cmp.Compare(a.ID, b.ID) })
}

func (c *compiler) assessments() {
	seen := map[string]bool{}
	for _, a := range c.w.Assessments {
		c.once(seen, "assessment", a.ID)
		out := Assessment{ID: a.ID.S, Purpose: a.Purpose.S}
		dims := map[string]bool{}
		for _, d := range a.Dimensions {
			c.once(dims, "dimension", d.ID)
			out.Dimensions = append(out.Dimensions, Dimension{ID: d.ID.S, Purpose: d.Purpose.S, Levels: texts(d.Levels),
				Required: d.Required == nil || d.Required.B})
		}
		c.out.Assessments = append(c.out.Assessments, out)
	}
	slices.SortFunc(c.out.Assessments, func(a, b Assessment) int { return cmp.Compare(a.ID, b.ID) })
}

// once says that an id is taken.
func (c *compiler) once(seen map[string]bool, kind string, id source.Text) {
	if seen[id.S] {
		c.Add(id.At, nil, "the %s %q stands here a second time", kind, id.S)
	}
	seen[id.S] = true
}

func (c *compiler) references() {
	seen := map[string]bool{}
	for _, r := range c.w.References {
		c.once(seen, "reference", r.ID)
		c.out.References = append(c.out.References, Reference{ID: r.ID.S, Title: r.Title.S, Source: r.Source.S,
			Purpose: r.Purpose.S, Authoritative: r.Authoritative.B, ResolveFrom: r.ResolveFrom.S})
	}
}

// capabilities sorts what the workflow asks for, and puts a probe before all else for each that is
// required.
func (c *compiler) capabilities() {
	for _, want := range c.w.Capabilities {
		name, to := source.Suggest(want.Name.S), &c.out.Capabilities
		if _, ok := c.reg.capabilities[name]; !ok {
			name = dashless(name)
		}
		probe, ok := c.reg.capabilities[name]
		if !ok {
			unknown(c.Faults, want.Name.At, "capability", want.Name.S, c.reg.capabilities)
			continue
		}
		switch want.Is.S {
		case "required":
			to.Required = append(to.Required, name)
			c.used["cortex.contracts.probe"] = true
			id := "cortex_probe_" + name
			c.ids[id] = true
			c.out.Steps = append(c.out.Steps, Step{ID: id, Title: "Find out whether " + name + " is there", By: ByPrompt,
				Prompt: probe, Probe: name, Output: &Output{ContractRef: "cortex.contracts.probe", Required: true},
				Origin: Origin{Source: SourceFeature, OriginID: name}})
		case "preferred":
			to.Preferred = append(to.Preferred, name)
		case "disabled":
			to.Disabled = append(to.Disabled, name)
		default:
			c.Add(want.Is.At, nil, "%q is not required, preferred or disabled", want.Is.S)
		}
	}
	for _, l := range [][]string{c.out.Capabilities.Required, c.out.Capabilities.Preferred, c.out.Capabilities.Disabled} {
		slices.Sort(l)
	}
}
