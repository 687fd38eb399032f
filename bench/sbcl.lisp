;;; Times SBCL's own reader and printer. Each line it is sent is an operation and
;;; for how many milliseconds to repeat it; it answers with nanoseconds for one.

(setf *read-eval* nil
      *print-pretty* nil
      *read-default-float-format* 'double-float)

(declaim (optimize (speed 3) (safety 1)))

(defun slurp (path)
  (with-open-file (in path :external-format :utf-8)
    (let* ((s (make-string (file-length in))) (n (read-sequence s in)))
      (coerce (subseq s 0 n) '(simple-array character (*))))))

(defvar *small* (slurp (second sb-ext:*posix-argv*)))
(defvar *large* (slurp (third sb-ext:*posix-argv*)))

;; The notation folds to lower case; this program itself does not.
(defvar *table* (copy-readtable))
(setf (readtable-case *table*) :downcase)
(defvar *value* (let ((*readtable* *table*)) (read-from-string *small*)))

(defun read-small () (read-from-string *small*))
(defun read-large ()
  (with-input-from-string (in *large*)
    (loop for v = (read in nil in) until (eq v in) count t)))
(defun print-small () (prin1-to-string *value*))

(defun now () (get-internal-real-time))

(defun nanoseconds (f ms)
  (declare (function f))
  (let ((start (now)) (n 0) (least (* ms (/ internal-time-units-per-second 1000))))
    (declare (fixnum n))
    (loop (funcall f)
          (incf n)
          (let ((took (- (now) start)))
            (when (>= took least)
              (return (round (* took (/ 1000000000 internal-time-units-per-second)) n)))))))

(loop for line = (read-line *standard-input* nil) while line do
  (let* ((gap (position #\Space line))
         (f (cdr (assoc (subseq line 0 gap)
                        (list (cons "read-small" #'read-small) (cons "read-large" #'read-large) (cons "print-small" #'print-small))
                        :test #'string=))))
    (format t "~d~%" (let ((*readtable* *table*)) (nanoseconds f (parse-integer line :start (1+ gap)))))
    (finish-output)))
