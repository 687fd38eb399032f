; Declarations of the music school tools of tools/odeio.json, reviewed by hand after the draft of
; `cortex tools declare`.

(deftool inbox_search
  :doc "Αναζήτηση στα εισερχόμενα του ωδείου"
  :params (:from string :text string)
  :tier :allow :effect :none :output :untrusted
  :nouns ("inbox")
  :roles (:from :object :text :object))

(deftool inbox_read
  :doc "Διαβάζει ένα μήνυμα."
  :params (:id string)
  :required (:id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("inbox")
  :roles (:id :id))

(deftool inbox_reply
  :doc "Απάντηση στον αποστολέα ενός μηνύματος."
  :params (:id string :text string)
  :required (:id :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("inbox")
  :roles (:id :id :text :content))

(deftool student_find
  :doc "Βρίσκει μαθητές με όνομα ή τάξη"
  :params (:query string)
  :required (:query)
  :tier :allow :effect :none :output :untrusted
  :nouns ("student")
  :roles (:query :object))

(deftool student_card
  :doc "Καρτέλα μαθητή: καθηγητής, κηδεμόνας, δίδακτρα, παρατηρήσεις"
  :params (:student string)
  :required (:student)
  :tier :allow :effect :none :output :untrusted
  :nouns ("student" "card")
  :roles (:student :id))

(deftool student_delete
  :doc "Διαγράφει την καρτέλα οριστικά."
  :params (:student string)
  :required (:student)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("student")
  :roles (:student :id))

(deftool concert_program_get
  :doc "Πρόγραμμα συναυλίας"
  :params (:concert string)
  :required (:concert)
  :tier :allow :effect :none :output :untrusted
  :nouns ("concert" "program")
  :roles (:concert :object))

(deftool concert_program_add
  :doc "Προσθέτει κομμάτι στο πρόγραμμα."
  :params (:concert string :minutes integer :piece string :position integer :students (list string))
  :required (:concert :piece :position :students)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("concert" "program")
  :roles (:concert :id :minutes :time :piece :content :position :object :students :object))

(deftool concert_program_remove
  :doc "Βγάζει κομμάτι από το πρόγραμμα"
  :params (:concert string :position integer)
  :required (:concert :position)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("concert" "program")
  :roles (:concert :id :position :id))

(deftool room_book
  :doc "Κράτηση αίθουσας"
  :params (:date string :for string :from string :room string :to string)
  :required (:date :from :room :to)
  :tier :allow
  :class (:book)
  :output :untrusted
  :nouns ("room")
  :roles (:date :time :for :content :from :time :room :object :to :time))

(deftool instrument_lend
  :doc "Δανεισμός οργάνου του ωδείου"
  :params (:instrument string :to string :until string)
  :required (:instrument :to)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("instrument")
  :roles (:instrument :object :to :principal :until :time))

(deftool guardian_sms
  :doc "SMS στους κηδεμόνες μαθητών."
  :params (:students (list string) :text string)
  :required (:students :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("guardian" "sms")
  :roles (:students :principal :text :content))

(deftool fees_waive
  :doc "Διαγράφει οφειλή διδάκτρων"
  :params (:euro number :student string)
  :required (:euro :student)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("fees")
  :roles (:euro :amount :student :principal))

(deftool payout_teacher
  :doc "Πληρωμή σε καθηγητή ή συνεργάτη με IBAN"
  :params (:euro number :iban string :name string :reason string)
  :required (:euro :iban :name)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("teacher")
  :roles (:euro :amount :iban :principal :name :principal :reason :content))

(deftool site_open
  :doc "Ανοίγει ιστοσελίδα και επιστρέφει το κείμενο."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("site")
  :roles (:url :net))

(deftool recordings_share
  :doc "Δίνει πρόσβαση στις βιντεοσκοπήσεις μαθητών"
  :params (:folder string :mail string)
  :required (:folder :mail)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("recordings")
  :roles (:folder :object :mail :principal))
