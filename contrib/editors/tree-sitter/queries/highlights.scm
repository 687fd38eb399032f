(comment) @comment
(block_comment) @comment
(string) @string
(escape) @string.escape
(number) @number
(keyword) @property

((symbol) @constant.builtin
  (#any-of? @constant.builtin "t" "nil" "false" "null" "{}"))

((symbol) @variable.builtin
  (#match? @variable.builtin "^(action|signal|session|facts|now|it)([.]|$)"))

(list . (symbol) @function)

; What a file defines, and the clauses of a gate.
(source_file (list . (symbol) @keyword . [(symbol) (string)] @type)
  (#match? @keyword "^(def[a-z]*|include|lexicon)$"))

((list . (symbol) @keyword.control . (symbol) @label . (keyword))
  (#any-of? @keyword.control "deny" "ask" "allow" "rewrite" "reject"))

["(" ")" "'"] @punctuation.bracket
