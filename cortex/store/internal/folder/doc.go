// Package folder knows a store's folder as a whole: which files in it are the store's, how
// it is locked, and how the files that a repair has written take the place of the old ones.
//
// The last is done here because two packages do it: fsck, which repairs, and store, which
// finishes on opening what a repair that was cut off has left ([FinishRepair]).
package folder
