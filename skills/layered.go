package skills

// Layered is a policy that is put over another one, which it changes in part.
type Layered interface{ Under() Policy }

// As finds the outermost layer of a policy that has what T asks for, such as a [Selector]. A layer
// forwards the methods of [Policy] alone.
func As[T any](p Policy) (t T, ok bool) {
	for p != nil {
		if t, ok = p.(T); ok {
			return t, true
		}
		l, is := p.(Layered)
		if !is {
			break
		}
		p = l.Under()
	}
	return t, false
}

// Offerer is a [Policy] that also says which of its tools a model is told of. That does not affect what is
// allowed: gates do not see it.
type Offerer interface {
	// Offers returns what reports whether a model is told of a tool, for a case without an action.
	Offers(c *Case) func(*Tool) bool
}

// Bulletin is a [Policy] that lists some of its tools for a model turn by turn, in a text of its own.
type Bulletin interface {
	// Bulletin returns the text, and the tools that it lists, for a case without an action. "" lists none.
	// The same case gives the same text.
	Bulletin(c *Case) (text string, tools []*Tool)
}
