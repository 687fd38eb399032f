// Command agents runs real coding agents, as they come from npm, behind `cortex hook`, each with a
// scripted model on loopback, and checks what ran: a tool runs exactly where the rules allowed it,
// and the reason for every denial reaches the model. Then it does the same with a hook that was
// killed, hangs, is missing or answers garbage, and without a daemon.
//
//	go run ./internal/agents -cortex PROGRAM -tools FOLDER [-host NAME] [-case NAME]
//
// The folder holds what `make agents` installed. Nothing here reaches the network.
package main
