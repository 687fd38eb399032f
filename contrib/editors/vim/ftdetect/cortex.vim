" Rule files of Cortex: *.lisp that begin with a definition, behind comments.
autocmd BufRead,BufNewFile *.lisp call s:Detect()

function! s:Detect() abort
  let l:first = filter(getline(1, 200), 'v:val !~# ''^\s*\(;.*\)\?$''')
  if !empty(l:first) && l:first[0] =~# '^\s*(\(include\|defaults\|deftool\|deflist\|defskill\|definvariant\|defcondition\|defmodels\|defexample\|lexicon\)\>'
    set filetype=cortex
  endif
endfunction
