;;; eglot.el --- Asks `cortex lsp' by Eglot, in a batch  -*- lexical-binding: t; -*-

;; emacs --batch -L contrib/editors/emacs -l eglot.el FOLDER: FOLDER holds tools.lisp and
;; a.lisp.  What is found is printed; an error ends Emacs with another code than 0.

;;; Code:

(require 'package)
(package-initialize)
(require 'eglot)
(require 'cortex-mode)

(defun wait (what)
  "Wait until WHAT returns something."
  (let ((end (+ (float-time) 20)) found)
    (while (not (or (setq found (funcall what)) (> (float-time) end)))
      (accept-process-output nil 0.05))
    (or found (error "Waited too long"))))

(let* ((folder (car command-line-args-left))
       (eglot-sync-connect t)
       (project-find-functions (list (lambda (_) (cons 'transient folder))))
       (file (expand-file-name "a.lisp" folder)))
  (setq command-line-args-left nil)
  (find-file file)
  (message "mode %s" major-mode)
  (apply #'eglot--connect (eglot--guess-contact))
  (let ((server (eglot-current-server)))
    (flymake-start nil)
    (message "wrong %s" (flymake-diagnostic-text (car (wait (lambda () (flymake-diagnostics))))))
    (goto-char (point-min))
    (search-forward "known)")
    (backward-char 2)
    (message "hover %s" (plist-get (plist-get (jsonrpc-request server :textDocument/hover
                                                               (eglot--TextDocumentPositionParams))
                                              :contents)
                                   :value))
    (xref-find-definitions "LSP identifier at point.")
    (message "definition %s:%d" (file-name-nondirectory buffer-file-name) (line-number-at-pos))
    (find-file file)
    (goto-char (point-min))
    (search-forward "known)")
    (backward-char 2)
    (message "completes %s" (and (member "known" (all-completions "" (nth 2 (eglot-completion-at-point)))) t))
    (eglot-rename "payees")
    (message "renamed %s" (string-match-p "payees)" (buffer-string)))
    (eglot-format-buffer)
    (princ (buffer-string))
    (eglot-shutdown server)))

;;; eglot.el ends here
