package facts

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlain_EveryConstructOnTheListIsRead(t *testing.T) {
	for _, c := range Plain() {
		_, err := readAll(c.Example)
		assert.NoError(t, err, "%s: %s", c.Name, c.Example)
	}
}

func TestPlain_EveryOtherConstructIsNamed(t *testing.T) {
	for _, c := range NotPlain() {
		_, err := readAll(c.Example)
		var u *Unreadable
		require.True(t, errors.As(err, &u), "%s: %s gave %v", c.Name, c.Example, err)
		assert.Equal(t, c.Name, u.Construct.Name, "%s: %v", c.Example, err)
		assert.NotEmpty(t, c.Instead)
	}
}

// In zsh, **/ may stand for nothing, and what follows it begins at the root.
func TestPlain_DeepPatternsStayBelow(t *testing.T) {
	for _, cmd := range []string{
		`ls **//?`, `cat **//etc/passwd`, `ls **/**//x`, `ls **/"/"x`, `ls **/""/x`, `ls **/$x/y`, `ls **/\/x`,
		`ls **/{,a}/x`, `ls **/{/,a}x`,
		`ls **/a{/,}/x`, `ls *{,a}*//x`, `ls *{,a}*/x`, `ls a/*{,b}*/x`, `ls *$x*/y`, `ls *"$x"*/y`, "ls *$(date)*//x",
		`ls ""*""*//x`, `ls *""*""*/x`,
		`ls **/*{a,}*/y`, `ls **/${x}/y`, `ls **/"$x"/y`, `ls **/$x`,
	} {
		_, err := readAll(cmd)
		var u *Unreadable
		if assert.True(t, errors.As(err, &u), "%s: %v", cmd, err) {
			assert.Equal(t, refusedList[rStars].Name, u.Construct.Name, cmd)
		}
	}
	for _, cmd := range []string{
		`ls **/*.go`, `ls src/**/*.{ts,tsx}`, `ls **/{a,b}.go`, `ls **/{a,b}/x`, `ls "$x"/**/y`, `ls *$x*`, `ls *"$x"*.go`,
		`ls *//x`, `ls a/**//x`,
		`ls "**"//x`, `ls **/x{1..3}`, `ls */{,a}/x`, `ls **`,
	} {
		_, err := readAll(cmd)
		assert.NoError(t, err, cmd)
	}
}
