package prompt

import "golang.org/x/sys/unix"

// keepKeys has the terminal keep every key that is pressed while no line is being
// edited, for the editor that comes next. In its usual mode it would take some
// for itself: Ctrl-R, Ctrl-U and Ctrl-W edit its own line, Ctrl-D ends it. Ctrl-C
// still interrupts.
func keepKeys(fd int) error {
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	t.Lflag &^= unix.ICANON | unix.IEXTEN
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	return unix.IoctlSetTermios(fd, unix.TCSETS, t)
}
