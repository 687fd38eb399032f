" Rule files of Cortex.
if exists('b:current_syntax')
  finish
endif

syntax iskeyword @,48-57,33,36-38,42-47,60-64,94,95,126
syntax match cortexComment ";.*$" contains=@Spell
syntax region cortexComment start="#|" end="|#" contains=cortexComment,@Spell
syntax region cortexString start=+"+ skip=+\\.+ end=+"+ contains=cortexEscape,@Spell
syntax match cortexEscape contained +\\\(u{\x\{1,6}}\|u\x\{4}\|["\\|nrt]\)+
syntax match cortexKey ":\(|[^|]*|\|[[:alnum:]!$%&*+./<=>?@^_~-]\)\+"
syntax match cortexNumber "\%(^\|[[:space:]()']\)\@1<=[+-]\?\(\d\+\(\.\d\+\)\?\|\.\d\+\)\([eE][+-]\?\d\+\)\?\ze\%([[:space:]()]\|$\)"
syntax keyword cortexConstant t nil false null
syntax match cortexDefinition "(\@1<=\(include\|defaults\|deftool\|deflist\|defskill\|definvariant\|defcondition\|defmodels\|defexample\|lexicon\)\>"
syntax match cortexClause "(\@1<=\(deny\|ask\|allow\|rewrite\|reject\)\>"

highlight default link cortexComment Comment
highlight default link cortexString String
highlight default link cortexEscape SpecialChar
highlight default link cortexKey Identifier
highlight default link cortexNumber Number
highlight default link cortexConstant Constant
highlight default link cortexDefinition Keyword
highlight default link cortexClause Statement

let b:current_syntax = 'cortex'
