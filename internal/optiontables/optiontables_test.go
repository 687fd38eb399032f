package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
)

// The table that is checked in is what help/ and review/ make; every option with
// a value is reviewed, or there is no table.
func TestTheTableIsCurrent(t *testing.T) {
	crashtest.Long(t)
	want, err := source(os.DirFS("."))
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join("../..", target))
	require.NoError(t, err)
	assert.True(t, string(want) == string(got), "%s is not what help/ and review/ make; run: make option-tables", target)
}

// Every help text says where it is from.
func TestHelpNamesItsSource(t *testing.T) {
	all, err := programs(os.DirFS("."))
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, p := range all {
		data, err := os.ReadFile("help/" + p.name + ".txtar")
		require.NoError(t, err)
		head, _, _ := strings.Cut(string(data), "\n-- ")
		assert.Contains(t, head, "licence: ", p.name)
		assert.NotEmpty(t, p.version, p.name)
		options := 0
		for _, s := range p.sections {
			options += len(s.options)
		}
		assert.Positive(t, options, p.name)
	}
}

// one renders options as name, = where they need a value, ? where it is optional.
func one(options []option) string {
	var out []string
	for _, o := range options {
		out = append(out, strings.Join(o.names, "|")+[...]string{"", "?", "="}[o.takes])
	}
	return strings.Join(out, " ")
}

func TestLayouts(t *testing.T) {
	for _, tt := range []struct{ layout, text, want string }{
		{"angle", " -o, --output <file>      Write to file\n     --proxy-ssl-allow-beast Allow flaw\n",
			"-o|--output= --proxy-ssl-allow-beast"},
		{"angle", " -x, --proxy [protocol://]host[:port] Use this proxy\n -#, --progress-bar Display",
			"-x|--proxy= -#|--progress-bar"},
		{"angle", "    --recurse-submodules[=<pathspec>]\n    --[no-]tags  x\n    --mirror[=(push|fetch)]",
			"--recurse-submodules? --tags|--no-tags --mirror?"},
		{"angle", "usage: git [-v | --version] [-C <path>] [--exec-path[=<path>]] [--git-dir=<path>]\n",
			"-v|--version -C= --exec-path? --git-dir="},
		{"angle",
			"  -v, --verbose...          Use verbose\n  -p, --package [<SPEC>]    Package", "-v|--verbose -p|--package?"},
		{"equals", "  -o,  --output-file=FILE   log\n  -q,  --quiet   quiet\n", "-o|--output-file= -q|--quiet"},
		{"equals", "--rsh=COMMAND, -e        specify\n--verbose, -v            more\n--log[=LEVEL]  x",
			"--rsh|-e= --verbose|-v --log?"},
		{"bare", "  -H, --host list          Daemon\n  -D, --debug              Enable\n      --http-proxy [URL]   Use",
			"-H|--host= -D|--debug --http-proxy?"},
		{"bare", "                                         -1 for unlimited)\n -x  text", "-x"},
		{"bare", "    --both --version '>= 0'\n", "--both"},
		{"usage", "usage: ssh [-46A] [-D [bind_address:]port]\n   [-J [user@]host[:port]] host", "-4 -6 -A -D= -J="},
		{"man", "       -o, --option\n           Set -x.\n       --with-source filename\n", "-o|--option --with-source"},
		{"go", "usage: go x [-o output] [-v]\n\n        -C dir\n                Change.\nThe -x flag prints.\n",
			"-C= -o= -v -x"},
		{"npm", "* `-g`: `--global`\n* `-d`: `--registry main`\n\n#### `global`\n\n* Default: false\n* Type: " +
			"Boolean\n\nx\n\n#### `registry`\n\n* Type: URL\n\nx\n\n#### `proxy`\n\n* Type: null, false, or URL\n\nx\n",
			"--global|--no-global|-g --registry= --proxy? -d"},
		{"kubectl", "    -f, --filename=[]:\n\tx\n\n    --all=false:\n\tx\n", "--filename|-f= --all"},
	} {
		assert.Equal(t, tt.want, one(merge(layouts[tt.layout](tt.text))), "%s: %s", tt.layout, tt.text)
	}
}

// small is a program with one help text and one review.
func small(help, review string) fs.FS {
	return fstest.MapFS{
		"help/x.txtar": {Data: []byte("layout: angle\nversion: x 1\nlicence: none\n\n-- x --\n" + help)},
		"review/x.txt": {Data: []byte(review)},
	}
}

func TestWhatIsNotReviewedIsAnError(t *testing.T) {
	const help = " -o, --output <file>  Write\n -v, --verbose  more\n"
	_, err := source(small(help, "operands host\n"))
	assert.ErrorContains(t, err, "--output")
	assert.NotContains(t, err.Error(), "--verbose", "it takes no value")

	got, err := source(small(help, "operands host\npath --output\n"))
	require.NoError(t, err)
	assert.Contains(t, string(got), `{"output", Needs, Path}`)
	assert.Contains(t, string(got), `{"o", Needs, Path}`, "all spellings of an option are reviewed as one")

	_, err = source(small(help+" -p, --proxy <url>  Use\n", "operands host\npath --output\n"))
	assert.ErrorContains(t, err, "--proxy", "a new option in the help needs a review")
	_, err = source(small(help, "path --output --gone\n"))
	assert.ErrorContains(t, err, "--gone", "a reviewed option that the help no longer has")
	_, err = source(small(help, "pathh --output\n"))
	assert.ErrorContains(t, err, `unknown keyword "pathh"`)
	_, err = source(small(help, "path --output\noperands hots\n"))
	assert.ErrorContains(t, err, "hots")
	_, err = source(fstest.MapFS{"help/x.txtar": {Data: []byte("layout: round\n-- x --\n")}})
	assert.ErrorContains(t, err, "round")
}

func TestReviewCorrectsTheHelp(t *testing.T) {
	const help = " --max <n>  x\n --level  x\n --no-colour  x\n -zz  x\n"
	got, err := source(small(help,
		"plain --max --level\ntakes --level\nmore --quiet\nskip -zz\n[x y]\nposix\noperands image command\n"))
	require.NoError(t, err)
	for _, want := range []string{
		`{"level", Needs, Plain}`, `{"quiet", None, Plain}`, `{"colour", None, Plain}`, `{"no-colour", None, Plain}`,
		`{Name: "x y", Posix: true, Operands: []Kind{Image, Command}`,
	} {
		assert.Contains(t, string(got), want)
	}
	assert.NotContains(t, string(got), "zz")
	_, err = source(small(help, "plain --max\ntakes --level\nskip -zz\n"))
	assert.ErrorContains(t, err, "--level", "what a review gives a value needs a kind")
	_, err = source(small(help, "plain --max\n"))
	assert.ErrorContains(t, err, "-zz")
}
