;;; An independent judge of the notation: SBCL's own reader, over a pipe.
;;;
;;; A line in is a letter and a text in hex, a line out is the answer:
;;;   ?TEXT        what the text reads as, or E if it is not one datum
;;;   r N TEXT     reads the text N times, answers ok
;;;   p N TEXT     prints the datum in the text N times, answers ok

(defpackage :oracle-names (:use))

(defparameter *plain*
  (let ((table (copy-readtable nil)))
    ;; Fold as Cortex folds: down. Leave the characters of names alone.
    (setf (readtable-case table) :downcase)
    (setf (sb-ext:readtable-normalization table) nil)
    table))

(defun unhex (line from)
  (let ((octets (make-array (floor (- (length line) from) 2) :element-type '(unsigned-byte 8))))
    (dotimes (i (length octets))
      (let ((at (+ from (* 2 i))))
        (setf (aref octets i) (+ (* 16 (digit-char-p (char line at) 16))
                                 (digit-char-p (char line (1+ at)) 16)))))
    (sb-ext:octets-to-string octets :external-format :utf-8)))

(defun put-hex (string out)
  (loop for octet across (sb-ext:string-to-octets string :external-format :utf-8)
        do (write-char (char "0123456789abcdef" (ash octet -4)) out)
           (write-char (char "0123456789abcdef" (logand octet 15)) out)))

(defun name-of (symbol)
  (if (eq (symbol-package symbol) (find-package :common-lisp))
      (string-downcase (symbol-name symbol)) ; 'x is (cl:quote x)
      (symbol-name symbol)))

(defun dump (x out)
  (cond ((or (null x) (and (symbolp x) (not (keywordp x)) (string= (name-of x) "nil")))
         (write-string "()" out))
        ((keywordp x) (write-char #\k out) (put-hex (symbol-name x) out))
        ((symbolp x) (write-char #\s out) (put-hex (name-of x) out))
        ((stringp x) (write-char #\" out) (put-hex x out))
        ((integerp x) (format out "i~d" x))
        ((typep x 'double-float)
         (format out "d~8,'0x~8,'0x" (logand #xffffffff (sb-kernel:double-float-high-bits x))
                 (sb-kernel:double-float-low-bits x)))
        ((consp x)
         (write-char #\( out)
         (loop for rest = x then (cdr rest)
               while rest
               do (cond ((atom rest) (write-string "?dotted" out) (return))
                        (t (dump (car rest) out) (write-char #\Space out))))
         (write-char #\) out))
        (t (write-string "?other" out))))

(defun answer (text)
  (handler-case
      (handler-bind ((warning #'muffle-warning))
        (with-input-from-string (in text)
          (let ((x (read in)))
            (if (eq (read in nil in) in)
                (with-output-to-string (out) (dump x out))
                "E"))))
    (error () "E")))

(declaim (notinline keep))
(defun keep (x) x) ; so that nothing is optimised away

(defun repeat (line)
  (let* ((gap (position #\Space line :start 2))
         (n (parse-integer line :start 2 :end gap))
         (text (unhex line (1+ gap)))
         (datum (read-from-string text)))
    (if (char= (char line 0) #\r)
        (dotimes (i n) (keep (read-from-string text)))
        (dotimes (i n) (keep (prin1-to-string datum))))
    "ok"))

(let ((*package* (find-package :oracle-names))
      (*readtable* *plain*)
      (*read-eval* nil)
      (*print-pretty* nil)
      (*read-default-float-format* 'double-float))
  (loop for line = (read-line *standard-input* nil)
        while line
        do (write-line (if (char= (char line 0) #\?) (answer (unhex line 1)) (repeat line)))
           (unless (listen *standard-input*) (finish-output))))
