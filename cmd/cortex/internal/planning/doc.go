// Package planning is the commands about workflows: those of their authors, who compile them to plans,
// and those of people who start runs and look after them.
package planning
