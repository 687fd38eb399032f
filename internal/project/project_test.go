package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	home := filepath.Join(base, "ana")
	for _, dir := range []string{"src/app/web", "src/lib", ".ssh", ".config/cortex"} {
		require.NoError(t, os.MkdirAll(filepath.Join(home, dir), 0o700))
	}
	app, lib, alias := filepath.Join(home, "src/app"), filepath.Join(home, "src/lib"), filepath.Join(home, "alias")
	require.NoError(t, os.Symlink("src/app", alias))
	require.NoError(t, os.Symlink(".", filepath.Join(home, "all")))
	for what, c := range map[string]struct {
		named  []string
		stands string
		want   []string
	}{
		"it stands there":                {[]string{app}, app, []string{app}},
		"below":                          {[]string{app}, filepath.Join(app, "web"), []string{app}},
		"in one of several":              {[]string{app, lib}, lib, []string{app, lib}},
		"outside all":                    {[]string{app}, lib, []string{}},
		"above":                          {[]string{app}, filepath.Join(home, "src"), []string{}},
		"started from the desktop, in /": {[]string{app}, "/", []string{app}},
		"started from the desktop":       {[]string{app}, home, []string{app}},
		"its folder is unknown":          {[]string{app}, "", []string{app}},
		"nothing is named":               {nil, app, []string{}},
		"the root":                       {[]string{"/"}, "/", []string{}},
		"the home":                       {[]string{home}, home, []string{}},
		"above the home":                 {[]string{base}, base, []string{}},
		"a link to the home":             {[]string{filepath.Join(home, "all")}, "", []string{}},
		"a protected place":              {[]string{filepath.Join(home, ".ssh")}, "", []string{}},
		"what holds one":                 {[]string{filepath.Join(home, ".config")}, "", []string{}},
		"one of two":                     {[]string{home, app}, app, []string{app}},
		"a relative one":                 {[]string{"src/app"}, "", []string{}},
		"by a link":                      {[]string{alias}, app, []string{alias, app}},
	} {
		assert.Equal(t, c.want, Of(c.named, c.stands, home), what)
	}
}
