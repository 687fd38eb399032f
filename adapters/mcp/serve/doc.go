// Package serve has servers of the Model Context Protocol for agents: one offers the workflows of a daemon
// ([Workflows]), one lets an operator's agent read ([ForOperator]).
package serve
