package secrets

import "strings"

// ownRules cover credentials that gitleaks' rules miss and row 64 of the ancestor's
// specification requires. Their form alone is proof.
func ownRules() []*rule {
	own := []struct{ kind, pattern, keywords string }{
		{"private-key", `-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`, "-----begin"},
		{"openai-api-key", `(?:^|[^A-Za-z0-9])(sk-[A-Za-z0-9_-]{20,})`, "sk-"},
		{"google-api-key", `AIza[0-9A-Za-z_-]{35}`, "aiza"},
		{"github-token", `gh[pousr]_[A-Za-z0-9]{36,}`, "gh"},
		{"github-token", `github_pat_[A-Za-z0-9_]{22,}`, "github_pat_"},
		{"slack-token", `xox[abeoprs]-[A-Za-z0-9-]{20,}`, "xox"},
		{"aws-access-key", `(?:^|[^A-Za-z0-9])((?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16})(?:[^A-Za-z0-9]|$)`,
			"akia asia abia acca a3t"},
		{"jwt", `eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`, "eyj"},
	}
	out := make([]*rule, 0, len(own))
	for _, r := range own {
		out = append(out, &rule{kind: r.kind, keywords: strings.Fields(r.keywords), pattern: lazy(r.pattern), trusted: true})
	}
	return out
}
