// Package session answers signals: it records them, asks models what to do, lets the ledger
// judge it, carries out what is allowed and feeds back what came of it. Sessions run side by
// side; the signals of one session are answered one after another. What an earlier run left
// unanswered is recovered, and what waited for people goes on when they have answered.
package session
