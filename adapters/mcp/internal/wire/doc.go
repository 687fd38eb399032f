// Package wire reads and writes what goes over a connection of the Model Context Protocol: JSON-RPC
// messages that can be read in one way only, their objects in the order of writing, lines of standard
// input and output, server-sent events, and the headers that repeat arguments. It decides nothing.
// Source: the specification of MCP, revisions 2025-11-25 and 2026-07-28, and JSON-RPC 2.0.
package wire
