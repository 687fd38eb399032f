package teach

import "strings"

// Operator is the name of an operator or a function that has another name elsewhere; ""
// if none is known.
func Operator(name string) string {
	return map[string]string{
		"==": "=", "!=": "/=", "<>": "/=", "eq": "=", "eql": "=", "equal": "=", "equal?": "=", "equals": "=", "is": "=",
		"neq": "/=", "ne": "/=", "gt": ">", "lt": "<", "gte": ">=", "ge": ">=", "lte": "<=", "le": "<=",
		"any": "some", "any?": "some", "all": "every", "all?": "every", "exists": "some", "exists?": "has?",
		"forall": "every",
		"&&":     "and", "||": "or", "!": "not", "length": "len", "size": "len", "count-of": "len", "member": "in",
		"member?":  "in",
		"includes": "contains?", "includes?": "contains?", "startswith": "starts-with?", "starts-with": "starts-with?",
		"endswith": "ends-with?", "ends-with": "ends-with?", "prefix?": "starts-with?", "suffix?": "ends-with?",
		"contains": "contains?", "search": "contains?", "matches": "matches?", "match": "matches?", "regex": "matches?",
		"regexp": "matches?", "has": "has?", "defined?": "has?", "present?": "has?", "missing": "missing?",
		"null?": "missing?",
		"nil?":  "missing?", "absent?": "missing?", "upcase": "upper", "uppercase": "upper", "downcase": "lower",
		"lowercase": "lower", "under": "under?", "flag": "flag?", "glob": "glob-any?", "glob?": "glob-any?", "cond": "if",
		"case": "if", "when": "and", "unless": "not", "progn": "and", "lambda": "let", "let*": "let", "select": "filter",
		"where": "filter", "reduce": "sum", "default": "get", "get-or": "get", "or-else": "get",
	}[name]
}

// Clause is the kind of clause that a word of other languages means.
func Clause(word string) string {
	return map[string]string{
		"refuse": "deny", "block": "deny", "forbid": "deny", "prohibit": "deny", "drop": "deny", "no": "deny",
		"disallow": "deny",
		"permit":   "allow", "accept": "allow", "grant": "allow", "pass": "allow", "confirm": "ask", "approve": "ask",
		"review": "ask", "escalate": "ask", "hold": "ask", "modify": "rewrite", "set": "rewrite", "change": "rewrite",
		"transform": "rewrite", "limit": "rewrite", "mask": "rewrite",
	}[word]
}

// Definition is the definition that a word of other languages means.
func Definition(word string) string {
	return map[string]string{
		"defun": "defcondition", "defmacro": "defcondition", "defpredicate": "defcondition", "define": "defcondition",
		"deffunction": "defcondition", "fn": "defcondition", "defn": "defcondition", "defrule": "defskill",
		"defpolicy": "defskill", "defguard": "defskill", "defgate": "defskill", "deftest": "defexample", "test": "defexample",
		"example": "defexample", "defvar": "deflist", "defconst": "deflist", "defconstant": "deflist",
		"defparameter": "deflist",
		"defset":       "deflist", "list": "deflist", "tool": "deftool", "import": "include", "load": "include",
		"require":       "include",
		"definvariants": "definvariant", "assert": "definvariant", "defmodel": "defmodels",
	}[word]
}

// Kind is the kind of a parameter that a word of other languages means.
func Kind(word string) string {
	return map[string]string{
		"int": "integer", "int64": "integer", "long": "integer", "str": "string", "text": "string", "varchar": "string",
		"bool": "boolean", "flag": "boolean", "float": "number", "double": "number", "decimal": "number", "money": "number",
		"array": "list", "vector": "list", "seq": "list", "dict": "object", "map": "object", "struct": "object",
		"json": "any",
		"file": "path", "filename": "path", "folder": "path", "uri": "url", "link": "url", "hostname": "host",
		"domain": "host",
		"cmd":    "command", "one-of": "enum", "oneof": "enum", "choice": "enum", "optional": "nullable", "maybe": "nullable",
	}[word]
}

// Key is the key that a word of other languages means.
func Key(word string) string {
	return map[string]string{
		"if": "when", "condition": "when", "cond": "when", "where": "when", "unless": "when", "test": "when",
		"because": "reason",
		"message": "reason", "msg": "reason", "why": "reason", "text": "reason", "description": "doc", "documentation": "doc",
		"gates": "gate", "rules": "gate", "clauses": "gate", "triggers": "trigger", "on": "trigger", "args": "params",
		"arguments": "params", "parameters": "params", "value": "set", "values": "set", "approver": "approvers",
		"class": "approvers",
		"must":  "holds", "assert": "holds", "expected": "expect", "result": "expect", "effects": "effect", "level": "tier",
	}[word]
}

// Value is how a value of other languages is written; "" if none is known.
func Value(word string) string {
	switch strings.ToLower(word) {
	case "true", "yes", "on":
		return "t"
	case "no", "off":
		return "false"
	case "undefined", "void":
		return "null"
	}
	return ""
}
