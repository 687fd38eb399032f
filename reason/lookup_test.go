package reason

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A replay gets the answer to the very question that was asked, and to no other.
func TestRecorded_AnswersTheSameQuestionAlone(t *testing.T) {
	ask := Recorded([]Lookup{
		{Function: "realpath", Argument: LookupArgument("/a"), Result: "/b"},
		{Function: "realpath", Argument: LookupArgument("/c"), Error: "no such file"},
	})
	got, err := ask("realpath", "/a")
	require.NoError(t, err)
	assert.Equal(t, "/b", got)
	for _, q := range [][2]string{{"realpath", "/b"}, {"other", "/a"}} {
		_, err = ask(q[0], q[1])
		assert.EqualError(t, err, "this look-up is not on record", q)
	}
	_, err = ask("realpath", "/c")
	assert.EqualError(t, err, "no such file")
}
