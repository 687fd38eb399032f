package console

import "time"

// Stamp is a time as lists show it.
func Stamp(nanos int64) string { return time.Unix(0, nanos).UTC().Format("2006-01-02 15:04:05") }

// Clip keeps a line to a width that terminals show.
func Clip(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}
