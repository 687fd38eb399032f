// Package version reads semantic versions and ranges of them. It is the only importer
// of Masterminds/semver, and leaves out what would surprise the author of a guard.
//
// A version is complete (1.2.3, with or without a leading v), as semver.org has it. A
// range compares by precedence alone: a pre-release comes before its release, and is
// not left out of ranges, so that a version lies either in "<2" or in ">=2".
package version

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// MaxVersion bounds a version, in bytes.
const MaxVersion = 128

// Range is a set of versions. It is immutable and safe for concurrent use.
type Range struct{ of *semver.Constraints }

// zeroTilde is what the library takes for all versions.
var zeroTilde = regexp.MustCompile(`~>?\s*v?0+\.0+\.0+`)

// NewRange reads a range: comparisons by = != < <= > >= ~ ^ side by side, all of which
// are to hold, and || between alternatives. A version in it may lack its end: "<2".
func NewRange(text string) (*Range, error) {
	for part := range strings.SplitSeq(text, "||") {
		if strings.TrimSpace(part) == "" {
			return nil, errors.New("the range is empty, or a part of it; every version is \">=0.0.0-0\"")
		}
	}
	if zeroTilde.MatchString(text) {
		return nil, errors.New("the range has ~0.0.0, which means several things; write it with >= and <")
	}
	c, err := semver.NewConstraint(text)
	if err != nil {
		return nil, fmt.Errorf("a range is such as \">=1.2 <2\" or \"^1.4.0 || 3.x\": %w", err)
	}
	c.IncludePrerelease = true
	return &Range{c}, nil
}

// Has reports whether a version lies in the range. Any other text is an error.
func (r *Range) Has(version string) (bool, error) {
	if len(version) > MaxVersion {
		return false, fmt.Errorf("a version of %d bytes, expected at most %d", len(version), MaxVersion)
	}
	v, err := semver.StrictNewVersion(strings.TrimPrefix(version, "v"))
	if err != nil {
		return false, fmt.Errorf("%q is not a semantic version such as \"1.2.3\"", version)
	}
	return r.of.Check(v), nil
}
