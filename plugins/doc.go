// Package plugins runs skills as processes of their own, in any language, and puts
// their gates between those of the rule files. [Host] runs them; package skill is
// for anyone who writes one in Go. Both speak cortex.skill.v1, which plugins/proto
// explains.
//
// # What a plugin cannot do
//
// It cannot help an action by failing. A crash, a hang, garbage, an answer that is
// too long, too late, to another question or with an unknown field: each denies
// with the key gate/<name>/failed. It cannot be another program than the one that
// was agreed to: skills.lock pins it by its bytes, which are hashed in sealed
// memory and started from there. It cannot give itself rights: its priority, what
// it sees, and whether it may vouch or rewrite stand in the lock, and a release
// that asks for more waits until a person agrees. It cannot reach much: it has no
// environment but what the lock grants, no network, no files but libraries and a
// folder of its own that is emptied at each start, no other processes ([Fence] says
// what of this is in force).
//
// # How it is kept running
//
// A supervisor for each plugin starts the process again after it has fallen, after
// 50 ms at first and 5 s at most. Several failed answers in a row end the process;
// several starts without one good answer open the circuit, and then decisions do not wait.
// What a plugin writes to stderr becomes log lines, a bounded number of them.
//
// # How its answers count
//
// A plugin is one gate, between rulebook skills by priority and then by name.
// Neighbours that do not rewrite are asked at the same time; decision and trace are
// the same as if they had been asked one after the other. Each answer is recorded
// with the decision, so that a replay needs no process.
package plugins
