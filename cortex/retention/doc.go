// Package retention removes what [Retain] no longer keeps. It works in small steps between
// other writes, and each step leaves a record that says what it removed. It never removes
// what something live refers to, and it ends sessions that are over.
package retention
