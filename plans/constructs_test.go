package plans_test

import "fmt"

// construct is something that a workflow may use, by the place in its JSON where it stands.
type construct struct {
	name string
	// path is where it stands: member names with dots, "*" for every element, "step" for every
	// step at any depth, "condition" for every condition at any depth.
	path string
	// value is the JSON that must stand there, "?" any, a kind such as "object", or "-" for a
	// member of path's last object that must be absent.
	value string
}

// constructs are those of spec/workrail.md 3 and of its locks 1.K to 1.M.
func constructs() []construct {
	all := []construct{
		{"legacy id without a dot (117)", "id", "undotted"}, {"namespaced id (116)", "id", "dotted"},
		{"about", "about", "?"}, {"examples", "examples", "?"}, {"agentRole of the workflow", "agentRole", "?"},
		{"metaGuidance", "metaGuidance", "?"}, {"preconditions", "preconditions", "?"},
		{"clarificationPrompts", "clarificationPrompts", "?"}, {"bindings: extensionPoints", "extensionPoints", "?"},
		{"features (108)", "features", "?"},
		{"references, authoritative", "references.*.authoritative", "true"},
		{"references, supporting", "references.*.authoritative", "false"},
		{"references from the package", "references.*.resolveFrom", `"package"`},
		{"references from the workspace", "references.*.resolveFrom", `"workspace"`},
		{"functions of the workflow (111)", "functionDefinitions", "?"},
		{"functions with parameters", "functionDefinitions.*.parameters", "?"},
		{"assessments", "assessments", "?"},
		{"assessments, optional dimension", "assessments.*.dimensions.*.required", "false"},
		{"agentRole of a step", "step.agentRole", "?"}, {"guidance of a step", "step.guidance", "?"},
		{"askForFiles", "step.askForFiles", "true"},
		{"prompt", "step.prompt", "?"}, {"promptBlocks", "step.promptBlocks", "?"},
		{"snippet (112)", "parts.refId", "?"}, {"snippet beside text", "parts.text", "?"},
		{"templateCall", "step.templateCall", "?"}, {"templateCall with args", "step.templateCall.args", "?"},
		{"promptFragments, conditional", "step.promptFragments.*.when", "?"},
		{"promptFragments, always", "step.promptFragments.*", "-when"},
		{"runCondition", "step.runCondition", "?"}, {"notesOptional", "step.notesOptional", "true"},
		{"requireConfirmation: true", "step.requireConfirmation", "true"},
		{"requireConfirmation: a condition", "step.requireConfirmation.var", "?"},
		{"functions of a step", "step.functionDefinitions.*.scope", `"step"`},
		{"functions of a loop", "step.functionDefinitions.*.scope", `"loop"`},
		{"functionReferences", "step.functionReferences", "?"}, {"functionCalls", "step.functionCalls", "?"},
		{"outputContract, required said", "step.outputContract.required", "true"},
		{"validationCriteria, a list", "step.validationCriteria", "array"},
		{"validationCriteria with a condition", "criteria.condition", "?"},
		{"validationCriteria with flags", "criteria.flags", "?"},
		{"assessmentRefs", "step.assessmentRefs", "?"}, {"assessmentConsequences", "step.assessmentConsequences", "?"},
		{"assessmentConsequences of one assessment", "step.assessmentConsequences.*.when.forAssessment", "?"},
		{"assessmentConsequences of any assessment", "step.assessmentConsequences.*.when", "-forAssessment"},
		{"parallel", "step.type", `"parallel"`},
		{"parallel with runCondition", "step.parallelDelegations.*.runCondition", "?"},
		{"parallel with contextMapping", "step.parallelDelegations.*.contextMapping", "?"},
		{"parallel with args", "step.parallelDelegations.*.args", "?"},
		{"loop under a runCondition", "loopStep.runCondition", "?"},
		{"loop, condition of its own", "step.loop.condition", "?"},
		{"loop, body by name", "step.body", "string"}, {"loop, body in place (121)", "step.body", "array"},
		{"while by artifact (122)", "loop while", `"artifact_contract"`},
		{"while by context", "loop while", `"context_condition"`},
		{"until", "step.loop.type", `"until"`}, {"until by artifact", "loop until", `"artifact_contract"`},
		{"for, a number", "step.loop.count", "number"}, {"for, a key", "step.loop.count", "string"},
		{"forEach (127)", "step.loop.type", `"forEach"`}, {"forEach, names by default", "step.loop", "-itemVar"},
		{"itemVar", "step.loop.itemVar", "?"}, {"indexVar", "step.loop.indexVar", "?"},
		{"iterationVar", "step.loop.iterationVar", "?"},
		{"condition: bare var", "condition", "bare"}, {"condition: path of a var", "condition.var", "dotted"},
	}
	add := func(name, path string, values ...string) {
		for _, v := range values {
			all = append(all, construct{name + " " + v, path, fmt.Sprintf("%q", v)})
		}
	}
	members := func(name, path string, keys ...string) {
		for _, k := range keys {
			all = append(all, construct{name + " " + k, path + "." + k, "?"})
		}
	}
	members("promptBlocks:", "step.promptBlocks", "goal", "constraints", "procedure", "outputRequired", "verify")
	members("condition:", "condition", "equals", "not_equals", "gt", "gte", "lt", "lte", "contains", "in",
		"startsWith", "endsWith", "matches", "and", "or", "not")
	members("validationCriteria:", "criteria", "and", "or", "not")
	add("validationCriteria:", "criteria.type", "contains", "regex", "length")
	add("requireConfirmation:", "step.requireConfirmation.kind", "human_approval", "coordinator_eval")
	add("recommendedAutonomy", "recommendedPreferences.recommendedAutonomy", "guided", "full_auto_stop_on_user_deps",
		"full_auto_never_stop")
	add(
		"recommendedRiskPolicy",
		"recommendedPreferences.recommendedRiskPolicy",
		"conservative",
		"balanced",
		"aggressive",
	)
	add("capability (114b)", "capabilities.*", "required", "preferred", "disabled")
	add("outputContract (113)", "step.outputContract.contractRef", contracts...)
	return all
}

// contracts are the packs that steps name themselves; assessments imply the one of theirs.
var contracts = []string{
	"wr.contracts.loop_control", "wr.contracts.review_verdict", "wr.contracts.gate_verdict",
	"wr.contracts.coordinator_signal", "wr.contracts.discovery_handoff", "wr.contracts.shaping_handoff",
	"wr.contracts.coding_handoff", "wr.contracts.differentiation_handoff",
}
