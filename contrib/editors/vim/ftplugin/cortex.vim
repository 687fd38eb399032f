" Rule files of Cortex. gggqG lays the file out in the one style; :make loads it, and shows
" what is wrong in the quickfix list.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=;%s comments=:; formatoptions-=t iskeyword+=-,?,:,/,.,<,>,=,+,*
setlocal formatprg=cortex\ rules\ fmt expandtab shiftwidth=2
compiler cortex

let b:undo_ftplugin = 'setlocal commentstring< comments< formatoptions< iskeyword< formatprg< expandtab< shiftwidth<'
