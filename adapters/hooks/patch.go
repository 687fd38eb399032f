package hooks

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// marks begin the lines of a patch that name a file, in the notation of apply_patch.
var marks = []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"}

// plainMarks are the lines of that notation that name none.
var plainMarks = []string{"*** Begin Patch", "*** End Patch", "*** End of File"}

// patched returns every path that a patch may touch, in the order in which they stand. A host may
// read marks that are indented, so those count, too: rather a path too many than one too few.
// A mark that is not known is an error.
func patched(text string) (paths []string, err error) {
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "***") || slices.Contains(plainMarks, line) {
			continue
		}
		at := slices.IndexFunc(marks, func(m string) bool { return strings.HasPrefix(line, m) })
		if at < 0 {
			return nil, fmt.Errorf("line %d of the patch begins with *** and is not known: %.60q", i+1, line)
		}
		path := strings.TrimSpace(strings.TrimPrefix(line, marks[at]))
		if path == "" {
			return nil, fmt.Errorf("line %d of the patch names no file", i+1)
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("the patch names no file")
	}
	return paths, nil
}
