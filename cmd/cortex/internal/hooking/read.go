package hooking

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/tailscale/hujson"
)

// regular reads a file that is one. To open a pipe would wait for a writer.
func regular(file string) ([]byte, error) {
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return io.ReadAll(f)
}

// open opens a file for reading, and refuses a pipe, a device and a folder.
func open(file string) (*os.File, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file (%s)", file, info.Mode())
	}
	return os.Open(file)
}

// read returns the settings, {} if there is no file, and the text of the file. It refuses what hosts read in another
// way than it stands there, or not at all.
func (s Settings) read() (v hujson.Value, text []byte, err error) {
	if v, text, err = s.parse(); err != nil || text == nil {
		return v, text, err
	}
	if name := doubled(v, false); name != "" {
		return v, nil, fmt.Errorf("%s has %q twice, and the host takes the last one alone, so it stays as it is: keep one",
			s.File, name)
	}
	if hooks := v.Find("/hooks"); hooks != nil {
		if _, ok := hooks.Value.(*hujson.Object); !ok {
			return v, nil, fmt.Errorf(`%s: "hooks" is not an object, expected one such as {}, so it stays as it is`, s.File)
		}
		if name := doubled(*hooks, true); name != "" {
			return v, nil, fmt.Errorf("%s has %q twice under \"hooks\", and the host takes the last one alone, so it stays "+
				"as it is: keep one", s.File, name)
		}
	}
	return v, text, nil
}

// parse reads the file as JSON with comments: an object.
func (s Settings) parse() (v hujson.Value, text []byte, err error) {
	text, err = regular(s.File)
	if errors.Is(err, fs.ErrNotExist) {
		v, err = hujson.Parse([]byte("{}"))
		return v, nil, err
	}
	switch {
	case err != nil:
		return v, nil, err
	case bytes.HasPrefix(text, []byte("\uFEFF")):
		return v, nil, fmt.Errorf("%s begins with a byte order mark, so it stays as it is: save it as UTF-8 without one",
			s.File)
	case strings.TrimSpace(string(text)) == "":
		return v, nil, fmt.Errorf("%s is empty, which is not JSON, so it stays as it is: remove it, or write {}", s.File)
	}
	if v, err = hujson.Parse(text); err != nil {
		return v, nil, fmt.Errorf("%s is not JSON, so it stays as it is: %w", s.File, err)
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return v, nil, fmt.Errorf("%s is not a JSON object, so it stays as it is", s.File)
	}
	return v, text, nil
}

// doubled is a name that an object has more than once, or, if deep, anything in it; "" if there is none.
func doubled(v hujson.Value, deep bool) string {
	var within []hujson.Value
	switch of := v.Value.(type) {
	case *hujson.Array:
		within = of.Elements
	case *hujson.Object:
		seen := map[string]bool{}
		for _, m := range of.Members {
			name := m.Name.Value.(hujson.Literal).String()
			if seen[name] {
				return name
			}
			seen[name] = true
			within = append(within, m.Value)
		}
	}
	for _, w := range within {
		if !deep {
			break
		}
		if name := doubled(w, true); name != "" {
			return name
		}
	}
	return ""
}

// hooksOf decodes what stands under "hooks", spelled so: Go takes other cases for the same name, and hosts do not.
func hooksOf(v hujson.Value, into any) error {
	v = v.Clone()
	v.Standardize()
	var root map[string]json.RawMessage
	if err := json.Unmarshal(v.Pack(), &root); err != nil || root["hooks"] == nil {
		return err
	}
	return json.Unmarshal(root["hooks"], into)
}
