package skills

// Selector is a [Policy] that also chooses the models to ask, and their order. The
// choice does not affect what is allowed: gates do not see it.
type Selector interface {
	// SelectModels returns the choice for a case without an action.
	SelectModels(c *Case) Selection
	// ModelRules returns every rule that chooses models, in the order in which
	// they are tried.
	ModelRules() []ModelRule
}

// Selection is a choice of providers.
type Selection struct {
	Rule string   // the rule that applied; "" if none did: the configured order holds
	Use  []string // names of providers, in order
	// Faults are the rules tried before it whose conditions erred.
	Faults []error
}

// ModelRule is a rule that chooses models.
type ModelRule struct {
	Name, Doc string
	Use       []string // names of providers, in order
	Pos       string   // "models.lisp:3:1"
}
