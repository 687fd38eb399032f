package provenance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A line that says the same few words over and over has as many parts as it has words, and so an origin.
func TestALongQueryHasAnOrigin(t *testing.T) {
	long := "select depot from barrels " + strings.Repeat("union all select depot from barrels where depot < 7 ", 40)
	o, _, err := begin(t).says("How many barrels do we have?").on(bash, nil).OriginAs(long, Code)
	require.NoError(t, err)
	assert.NotEqual(t, User, o)
}
