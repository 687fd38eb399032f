package shell

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

// In zsh, **/ may stand for nothing, and what follows it begins at the root.
func TestPlain_DeepPatternsStayBelow(t *testing.T) {
	for _, cmd := range []string{
		`ls **//?`, `cat **//etc/passwd`, `ls **/**//x`, `ls **/"/"x`, `ls **/""/x`, `ls **/$x/y`, `ls **/\/x`,
		`ls **/{,a}/x`, `ls **/{/,a}x`,
		`ls **/a{/,}/x`, `ls *{,a}*//x`, `ls *{,a}*/x`, `ls a/*{,b}*/x`, `ls *$x*/y`, `ls *"$x"*/y`, "ls *$(date)*//x",
		`ls ""*""*//x`, `ls *""*""*/x`,
		`ls **/*{a,}*/y`, `ls **/${x}/y`, `ls **/"$x"/y`, `ls **/$x`,
	} {
		_, err := Read(cmd, Env{Cwd: "/workspace", Home: "/home/u", Vars: map[string]string{"HOME": "/home/u"}})
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
		_, err := Read(cmd, Env{Cwd: "/workspace", Home: "/home/u", Vars: map[string]string{"HOME": "/home/u"}})
		assert.NoError(t, err, cmd)
	}
}
