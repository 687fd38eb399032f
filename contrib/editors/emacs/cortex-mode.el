;;; cortex-mode.el --- Rule files of Cortex  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0
;; Package-Requires: ((emacs "28.1"))

;;; Commentary:

;; A mode for rule files, which asks `cortex lsp' by Eglot (part of Emacs 29; the package
;; eglot before).
;;
;;   (require 'cortex-mode)
;;   (add-hook 'cortex-mode-hook #'eglot-ensure)
;;   (setq cortex-record "~/cortex/state")   ; if there is one: how often clauses fired
;;
;; Files that begin with a definition are taken for rule files; M-x cortex-mode is for
;; others.  M-x eglot-format-buffer lays a file out in the one style, and M-x compile
;; with `cortex rules check FILE' shows errors that `next-error' visits.

;;; Code:

(require 'lisp-mode)

(defgroup cortex nil "Rule files of Cortex." :group 'languages)

(defcustom cortex-program "cortex" "The program." :type 'file)

(defcustom cortex-rules nil
  "Rule files and folders that are checked together.
Other files are checked with what they include."
  :type '(repeat file))

(defcustom cortex-record nil "The folder of a record, or nil." :type '(choice (const nil) directory))

(defconst cortex-definition
  (concat "(" (regexp-opt '("include" "defaults" "deftool" "deflist" "defskill" "definvariant" "defcondition"
                            "defmodels" "defexample" "lexicon")
                          'symbols))
  "What a rule file is made of.")

(defconst cortex-body
  (concat (regexp-opt '("deny" "ask" "allow" "rewrite" "reject" "let" "some" "every" "none" "every-or-empty"
                        "none-or-empty" "count" "filter" "map" "sum")
                      'symbols)
          "\\|def[a-z]+")
  "What holds its parts two columns in.")

(defun cortex-indent (point state)
  "Return the column of a line at POINT, in the list that STATE is about."
  (let ((open (elt state 1)))
    (goto-char (1+ open))
    (cond ((looking-at cortex-body)
           (goto-char open)
           (+ 2 (current-column)))
          ((looking-at "[(\":'0-9]") (current-column))
          (t (let ((column (progn (goto-char open) (current-column)))
                   (line (line-end-position)))
               (goto-char (1+ open))
               (forward-sexp 1)
               (skip-chars-forward " ")
               (if (or (>= (point) line) (looking-at ";") (>= (point) point))
                   (1+ column)
                 (current-column)))))))

(defun cortex-indent-line ()
  "Indent a line; a comment stands where code would, with one semicolon, too."
  (interactive)
  (let ((column (save-excursion (beginning-of-line) (calculate-lisp-indent)))
        (behind (- (point-max) (point))))
    (when (consp column) (setq column (car column)))
    (when column ; not inside a string
      (indent-line-to column)
      (when (> (- (point-max) behind) (point)) (goto-char (- (point-max) behind))))))

(defvar cortex-keywords
  `((,(concat cortex-definition "\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)?")
     (1 font-lock-keyword-face) (2 font-lock-type-face nil t))
    ("(\\(deny\\|ask\\|allow\\|rewrite\\|reject\\)\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)"
     (1 font-lock-keyword-face) (2 font-lock-function-name-face))
    ("\\_<:\\(?:\\sw\\|\\s_\\)+" 0 font-lock-builtin-face)
    ("\\_<\\(?:t\\|nil\\|false\\|null\\)\\_>" 0 font-lock-constant-face))
  "Colours.")

;;;###autoload
(define-derived-mode cortex-mode lisp-data-mode "Cortex"
  "A mode for the rule files of Cortex."
  (setq-local lisp-indent-function #'cortex-indent
              indent-line-function #'cortex-indent-line
              indent-region-function nil
              indent-tabs-mode nil
              font-lock-defaults '(cortex-keywords)
              compile-command (format "%s rules check %s" cortex-program
                                      (shell-quote-argument (or buffer-file-name "")))))

(defun cortex-server (&rest _)
  "Return the command line of the language server."
  `(,cortex-program "lsp"
    ,@(mapcan (lambda (path) (list "--rules" (expand-file-name path))) cortex-rules)
    ,@(and cortex-record (list "--dir" (expand-file-name cortex-record)))))

(defun cortex-file-p ()
  "Say whether the buffer begins with a definition, behind comments."
  (save-excursion
    (goto-char (point-min))
    (let ((case-fold-search nil))
      (looking-at (concat "\\(?:[ \t]*\\(?:;.*\\)?\n\\)*" cortex-definition)))))

(add-to-list 'magic-mode-alist
             '((lambda () (and buffer-file-name (string-suffix-p ".lisp" buffer-file-name) (cortex-file-p)))
               . cortex-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(cortex-mode . cortex-server)))

(provide 'cortex-mode)
;;; cortex-mode.el ends here
