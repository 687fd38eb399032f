package llm

import "os/exec"

// isolate does nothing: Windows has no process groups of this sort.
func isolate(*exec.Cmd) {}

func killGroup(int) {}
