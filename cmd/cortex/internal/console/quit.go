package console

import "fmt"

// Quit ends a command with an exit code, having said all there is to say.
type Quit int

func (q Quit) Error() string { return fmt.Sprintf("exit code %d", int(q)) }
