//go:build !linux

package project

// HostOf cannot tell here where the host of a hook stands.
func HostOf(int) (stands string, args []string) { return "", nil }
