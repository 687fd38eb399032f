" Vim's own indentation of Lisp, with the words that hold their parts two columns in.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal lisp autoindent nosmartindent indentexpr=
setlocal lispwords=defaults,deftool,deflist,defskill,definvariant,defcondition,defmodels,defexample
setlocal lispwords+=deny,ask,allow,rewrite,reject,let,some,every,none,every-or-empty,none-or-empty,count,filter,map,sum

let b:undo_indent = 'setlocal lisp< autoindent< smartindent< indentexpr< lispwords<'
