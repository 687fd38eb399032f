//go:build !linux && !darwin

package daemon

import "errors"

// FreeSpace is not known on other systems.
func FreeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
