; Credentials do not leave in anything the agent says or does: not in a reply, a
; command, the content of a file or any other argument, not inside base64, and
; not in the explanation, which people are shown and the record keeps. The answer
; names the kind of secret and never repeats it.

(include "tool-permissions.lisp")

(defskill bouncer-secrets
  :doc "No credential in any argument."
  :priority 160
  :gate
  ((deny credential
     :when (some (secrets action.text) t)
     :reason "an argument holds what looks like a credential: a key, a token or a password; leave it out, or say where it is kept instead")
   (deny explained-credential
     :when (some (secrets action.explanation) t)
     :reason "the explanation holds what looks like a credential; explain without it")))

(defexample "the head of a private key is enough"
  :action (:tool "reply" :args (:text "here you are: -----BEGIN PRIVATE KEY-----"))
  :expect (deny bouncer-secrets/credential))

(defexample "also in base64"
  :action (:tool "shell" :args (:cmd "echo LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t | base64 -d"))
  :expect (deny bouncer-secrets/credential))

(defexample "also in what explains the action"
  :action (:tool "read-file"
           :args (:path "notes.txt")
           :explanation "I need it for -----BEGIN PRIVATE KEY-----")
  :expect (deny bouncer-secrets/explained-credential))

(defexample "a public key is for everybody"
  :action (:tool "reply" :args (:text "-----BEGIN PUBLIC KEY-----"))
  :expect (allow))

(defexample "talking about secrets gives none away"
  :action (:tool "reply"
           :args (:text "The token is in the vault; ask an operator for the password."))
  :expect (allow))
