package library

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/source"
)

// Root is a folder of workflows: every *.lisp and *.json in it and below it, apart from what is
// hidden.
type Root struct {
	FS   fs.FS
	Kind plans.Kind // bundled, user or project
	// Name tells roots of one kind apart in messages; "" where there is one. It says
	// nothing of where the root lies.
	Name string
}

// source names a file for people: its kind, and its path below the root.
func (r Root) source(name string) string {
	return path.Join(cmp.Or(string(r.Kind), "file"), r.Name, name)
}

// maxFile bounds the text of a workflow, in bytes, as the compiler does.
const maxFile = 1 << 20

// found is one file of a root.
type found struct {
	text   string // as it is written
	root   Root
	name   string
	id     string // "" where the text does not say
	tags   []string
	plan   *plans.Plan // nil where it does not compile
	errors []string
	unread error // why there is no text, for the operator
}

func (f *found) source() string { return f.root.source(f.name) }

// Load reads and compiles every workflow of the roots. It has no error: what is wrong with a
// folder or a file is one of [Library.Broken].
func Load(roots []Root, opt plans.Options) *Library {
	if opt.Registry == nil {
		opt.Registry = plans.NewRegistry()
	}
	var all []*found
	for _, r := range roots {
		all = append(all, r.walk(opt)...)
	}
	claims := map[string][]string{} // sources by id
	for _, f := range all {
		if f.id != "" {
			claims[f.id] = append(claims[f.id], f.source())
		}
	}
	for _, f := range all {
		if by := claims[f.id]; len(by) > 1 {
			slices.Sort(by)
			f.errors = append(f.errors, fmt.Sprintf("the id %q is that of %s: rename all but one", f.id,
				strings.Join(by, " and of ")))
		}
	}
	return shelve(all)
}

// Counts says whether a file of a root is a workflow, by its name.
func Counts(name string) bool {
	ext := path.Ext(name)
	return !strings.HasPrefix(path.Base(name), ".") && (ext == ".lisp" || ext == ".json")
}

// walk finds the files of a root.
func (r Root) walk(opt plans.Options) (all []*found) {
	_ = fs.WalkDir(r.FS, ".", func(name string, d fs.DirEntry, err error) error { // it returns no other error
		hidden := name != "." && strings.HasPrefix(path.Base(name), ".")
		switch {
		case err != nil:
			f := &found{root: r, name: name}
			f.cannotBeRead(err)
			all = append(all, f)
		case d.IsDir() && hidden:
			return fs.SkipDir
		case !d.IsDir() && Counts(name):
			all = append(all, r.compile(name, d, opt))
		}
		return nil
	})
	return all
}

// compile compiles one file.
func (r Root) compile(name string, d fs.DirEntry, opt plans.Options) *found {
	f := &found{root: r, name: name}
	text, err := read(r.FS, name, d)
	if err != nil {
		f.cannotBeRead(err)
		return f
	}
	written, _ := source.Read(f.source(), text) // the compiler says what is wrong
	f.id, f.text = written.ID.S, string(text)
	for _, t := range written.Tags {
		f.tags = append(f.tags, t.S)
	}
	f.plan, err = plans.Compile(plans.Source{Name: f.source(), Text: text, Kind: r.Kind}, opt)
	if err != nil {
		f.errors = strings.Split(err.Error(), "\n")
	}
	return f
}

// unfit says that a file is not one that is read.
type unfit string

func (u unfit) Error() string { return string(u) }

// read is the text of a file.
func read(in fs.FS, name string, d fs.DirEntry) ([]byte, error) {
	if d.Type()&^fs.ModeSymlink != 0 { // to open a pipe waits for who writes into it
		return nil, unfit("it is not a regular file")
	}
	f, err := in.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = unfit(fmt.Sprintf("it has more than %d bytes", maxFile))
	}
	return text, errors.Join(err, f.Close())
}

// cannotBeRead notes why there is no text. An agent hears less than the operator: errors of files
// name paths of the machine.
func (f *found) cannotBeRead(err error) {
	says := "it cannot be read; the operator's log says why"
	if e, ok := errors.AsType[unfit](err); ok {
		says = string(e)
	}
	f.errors, f.unread = []string{says}, fmt.Errorf("%s: %w", f.source(), err)
}
