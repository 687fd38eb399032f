" cortex rules check: errors as file:line:column: what is wrong.
if exists('current_compiler')
  finish
endif
let current_compiler = 'cortex'

CompilerSet makeprg=cortex\ rules\ check\ %:S
CompilerSet errorformat=%trror:\ %f:%l:%c:\ %m,%tarning:\ %f:%l:%c:\ %m,%f:%l:%c:\ %m,%-G%.%#
