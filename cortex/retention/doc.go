// Package retention removes what [Retain] no longer keeps, in small steps between other
// writes, each of which leaves a record that says what went. It never removes what something
// live refers to, and it ends the sessions that are over.
package retention
