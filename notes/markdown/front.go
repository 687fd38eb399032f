package markdown

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opencortex-go/cortex/notes"
)

// maxFront bounds the front matter, in bytes.
const maxFront = 64 << 10

// frontMatter reads the YAML between lines of three dashes at the beginning of a file: title and tags,
// and other texts as properties. It returns the rest of the file. What is neither a text nor a list of
// texts is an error, since it would be lost.
func frontMatter(root *notes.Item, source string) (rest string, err error) {
	front, rest, ok := cutFront(source)
	first, more, _ := strings.Cut(source, "\n")
	if strings.TrimRight(first, " \t") == "+++" && tomlForm.MatchString(more) {
		return "", errors.New("it is TOML between lines of three plus signs: want YAML between lines of three dashes")
	}
	if !ok {
		lines := strings.SplitN(source, "\n", 3)
		if strings.TrimRight(lines[0], " \t") == "---" && keyForm.MatchString(lines[1]) {
			return "", errors.New("it has no end: want a line of three dashes")
		}
		return source, nil // a line across the page
	}
	if len(front) > maxFront {
		return "", fmt.Errorf("%d bytes: want at most %d", len(front), maxFront)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(front), &doc); err != nil {
		return "", err
	}
	if len(doc.Content) == 0 {
		return rest, nil
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return "", errors.New("want keys with values; where three dashes are a line, put an empty line before it")
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		if err := member(root, top.Content[i], top.Content[i+1]); err != nil {
			return "", err
		}
	}
	return rest, nil
}

// tomlForm is how front matter in TOML begins.
var tomlForm = regexp.MustCompile(`^\s*(?:#.*\n\s*)*[\p{L}\d_."'-]+[ \t]*=`)

// keyForm is how a line of front matter begins.
var keyForm = regexp.MustCompile(`^["']?[\p{L}_-]+["']?[ \t]*:`)

// cutFront cuts a file behind its front matter. Line numbers in front are those of the file.
func cutFront(source string) (front, rest string, ok bool) {
	at := 0
	for l := range strings.Lines(source) {
		bar := strings.TrimRight(l, " \t\n")
		switch {
		case at == 0 && bar != "---":
			return "", "", false
		case at > 0 && (bar == "---" || bar == "..."):
			_, front, _ = strings.Cut(source[:at], "\n")
			return "\n" + front, source[at+len(l):], true
		}
		at += len(l)
	}
	return "", "", false
}

// member takes one key of the front matter.
func member(root *notes.Item, k, v *yaml.Node) error {
	values, err := scalars(v)
	if err != nil || k.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: %s: want a text or a list of texts", k.Line, k.Value)
	}
	switch key := strings.ToLower(k.Value); {
	case key == "title" && len(values) == 1:
		root.Title = values[0]
	case key == "tags" || key == "tag" || key == "keywords":
		for _, x := range values {
			for _, tag := range strings.FieldsFunc(x, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
				addTags(&root.Object, []string{strings.TrimPrefix(tag, "#")})
			}
		}
	default:
		if key == "id" && len(values) == 1 {
			root.Own = values[0]
		}
		for _, x := range values {
			root.Props = append(root.Props, notes.Prop{Key: k.Value, Value: x})
		}
	}
	return nil
}

// scalars are the texts of a value.
func scalars(v *yaml.Node) (out []string, err error) {
	switch v.Kind {
	case yaml.ScalarNode:
		if v.Tag == "!!null" {
			return []string{""}, nil
		}
		return []string{v.Value}, nil
	case yaml.SequenceNode:
		for _, x := range v.Content {
			if x.Kind != yaml.ScalarNode {
				return nil, errors.New("not a text")
			}
			out = append(out, x.Value)
		}
		return out, nil
	case yaml.DocumentNode, yaml.MappingNode, yaml.AliasNode:
	}
	return nil, errors.New("not a text")
}
