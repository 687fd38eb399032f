package llm

import "os/exec"

// isolate does nothing: Windows has no such process groups.
func isolate(*exec.Cmd) {}

func killGroup(int) {}
