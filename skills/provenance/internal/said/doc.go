// Package said holds values that are asked about, cut into words once, and the user's own words,
// which they are looked for in.
package said
