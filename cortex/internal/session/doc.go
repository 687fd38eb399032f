// Package session answers signals: it records them, asks models what to do, lets the
// ledger judge that, carries out what is allowed and feeds back the result. Sessions run
// side by side; the signals of one session are answered one after another. The engine
// recovers signals that an earlier run left unanswered, and continues what waited for
// people when they have answered.
package session
