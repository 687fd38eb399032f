" vim -es: loads a.lisp of the current folder; what is found is written to `found`.
set nocompatible nomore
execute 'set runtimepath^=' .. fnameescape($CORTEX_VIM)
filetype plugin indent on
syntax on
edit a.lisp
let s:found = ['filetype ' .. &filetype]
call add(s:found, 'syntax ' .. synIDattr(synID(3, 2, 0), 'name'))
silent make
call add(s:found, 'wrong ' .. join(map(getqflist(), 'v:val.lnum .. ":" .. v:val.col .. " " .. v:val.text')))
silent normal! gggqG
call extend(s:found, getline(1, '$'))
call writefile(s:found, 'found')
qall!
