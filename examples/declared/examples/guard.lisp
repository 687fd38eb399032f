; The guard, for the examples of this folder.

(include "../../skills/guard/alien.lisp")
(include "../../skills/guard/steering.lisp")
(include "../../skills/guard/things.lisp")
(include "../../skills/guard/intent.lisp")
(include "../../skills/guard/reads.lisp")
(include "../../skills/guard/code.lisp")
