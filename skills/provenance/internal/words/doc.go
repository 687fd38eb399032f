// Package words cuts text into what is compared: words, numbers, days, addresses.
//
// Two readings of one text exist. [Atoms] is the strict one, for what raises an
// origin: an atom is what stands between white space, without the punctuation around
// it, so that paypal.com, paypal.com.evil.net and bob@paypal.com are three atoms.
// [Loose] is the wide one, for what lowers an origin: every run of letters and digits
// by itself, with confusable letters folded. Both are linear in the text.
package words
