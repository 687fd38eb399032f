package skills

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

// A definition is exact, however long its names are: it is hashed.
func TestDefinitionIsExactAndReadable(t *testing.T) {
	long := strings.Repeat("x", 60)
	words := make([]string, 30)
	for i := range words {
		words[i] = strings.Repeat("w", i) + "\x1b\"é"
	}
	tool := everyKind()
	tool.Name = "Every Tool"
	tool.Doc = "says \"x\"\nand more"
	tool.Params = append(tool.Params, Param{long + "1", Type{}}, Param{long + "2", Type{Kind: KindEnum, Enum: words}})
	tool.Required, tool.Secret = []string{long + "1"}, []string{long + "2"}
	tool.Fields = map[string]bool{"b": true, "A": false}
	tool.Spends = []Spending{{Budget: "money", Arg: "userId"}, {Budget: "calls", Fixed: 1}}
	tool.Classes, tool.Nouns = []string{"pay", "comm"}, []string{"bill", "a \"b\""}
	tool.Roles = map[string]string{long + "2": "flag", long + "1": "principal"}
	got, err := sexpr.Reader{Code: true}.Read("definition", tool.Definition())
	require.NoError(t, err)
	text := got.String()
	for _, want := range []string{
		`(deftool |Every Tool|`, ":" + long + "1 any", ":" + long + "2 (enum", `:output (:|A| :untrusted :b :trusted)`,
		`:spends (:money :|userId| :calls 1)`, `:secret (:` + long + `2)`, `:required (:` + long + `1)`,
		sexpr.Str(tool.Doc).String(), `:class (:pay :comm)`, `:nouns ("bill" "a \"b\"")`,
		`:roles (:` + long + `1 :principal :` + long + `2 :flag)`,
	} {
		assert.Contains(t, text, want)
	}
	for _, w := range words {
		assert.Contains(t, text, sexpr.Str(w).String())
	}
}
