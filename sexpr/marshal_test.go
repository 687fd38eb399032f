package sexpr

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A value in a Go structure is its JSON.
func TestValueMarshals(t *testing.T) {
	type box struct {
		V Value `json:"v,omitzero"`
	}
	text, err := json.Marshal(box{Plist("a", 1, "b", "x")})
	require.NoError(t, err)
	assert.JSONEq(t, `{"v":{"a":1,"b":"x"}}`, string(text))
	var back box
	require.NoError(t, json.Unmarshal(text, &back))
	assert.True(t, Equal(Plist("a", 1, "b", "x"), back.V))
	text, err = json.Marshal(box{})
	require.NoError(t, err)
	assert.Equal(t, "{}", string(text))
	_, err = json.Marshal(box{Sym("x")})
	assert.Error(t, err)
	assert.Error(t, json.Unmarshal([]byte(`{"v":9007199254740993}`), &back))
}
