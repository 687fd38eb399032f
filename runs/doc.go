// Package runs carries out plans. A run is kept as a log of events on the record of an engine
// (package cortex/logs); package event says what may stand in it, package fold reads off it
// what holds, and package ticket signs the right to go on.
package runs
