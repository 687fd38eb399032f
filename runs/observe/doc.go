// Package observe sees where a run works: the branch, the commit and the repository of a folder. It
// reads git's own files and runs no program, so that no hook and no configuration of a repository that
// an agent names has an effect.
//
// What it does not find, or what does not fit, it leaves out: a branch over 80 bytes is dropped and not
// cut, since a part of a name is another branch. All that leaves the folder is a name of a branch, a
// hash, and the folder's own path.
package observe
