;;; indent.el --- Indents files as `cortex rules fmt' does  -*- lexical-binding: t; -*-

;; emacs --batch -L contrib/editors/emacs -l indent.el FILE...: prints the lines that Emacs
;; would indent otherwise, in files that `cortex rules fmt' has laid out.

;;; Code:

(require 'cortex-mode)

(dolist (file command-line-args-left)
  (with-temp-buffer
    (insert-file-contents file)
    (cortex-mode)
    (let ((was (buffer-string)) (inhibit-message t))
      (indent-region (point-min) (point-max))
      (let ((old (split-string was "\n")) (new (split-string (buffer-string) "\n")) (n 1))
        (while old
          (unless (equal (car old) (car new))
            (princ (format "%s:%d: %s\n" file n (car new))))
          (setq old (cdr old) new (cdr new) n (1+ n)))))))
(setq command-line-args-left nil)

;;; indent.el ends here
