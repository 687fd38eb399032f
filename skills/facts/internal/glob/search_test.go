package glob

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var listed = []any{"**/.env", "**/.env[-._]*", "**/id_{rsa,ed25519}", "**/*.{pem,key}", "**/.{ssh,aws}{,/**}",
	"~/secret"}

func TestSeeks(t *testing.T) {
	set, ok := Prepare(listed).(*Set)
	require.True(t, ok)
	for pattern, want := range map[string]bool{
		".env": true, ".e*": true, ".*": true, "*env": true, "?env": true, "[.]env": true, "*.env": true, ".EN*": true,
		"{go.mod,.env}": true, "*.go,.env": true, "*.go .env": true, "@(.env|x)": true, ".en+(v)": true, "**/.env": true,
		"*.pem": true, "*.p*": true, "server.*": true, "id_*": true, "*rsa": true, "**/.ssh/**": true, ".s*/config": true,
		".ssh": true, "a/**/.aws/x": true, "~/secret": true, "/home/u/secret": true, "*.{go,key}": true, ".env.*": true,
		"*ssh*/config": true, "./.env": true,

		"*": false, "**": false, "**/*": false, "*.*": false, "*.go": false, "**/*.json": false, "*.{ts,tsx}": false,
		"src/**/*_test.go": false, "*.config.*": false, "main*": false, "test_*.py": false, "*auth*": false, "README*": false,
		"!.env": false, "*.go !*.pem": false, "Makefile": false, "*ish*/config": false, "!(x)": false, "": false,
	} {
		globs := Subjects(Search(pattern, []string{"/w"}, "/home/u"))
		assert.Equal(t, want, set.Seeks(globs, "/home/u", true), "%s %v", pattern, globs)
	}
}

func TestSearch_IsWhereThePatternMayLead(t *testing.T) {
	assert.Equal(t, []string{"/etc/*", "/w/**/a/*", "/w/a/*"}, Search("{a,/etc}/*", []string{"/w"}, ""))
	assert.Equal(t, []string{"/**", "/x"}, Search("../x", []string{"/w"}, ""))
	assert.Empty(t, Search("!*.go", []string{"/w"}, ""))
}
