; Declarations of the riding school tools of tools/ridskola.json, reviewed by hand after the
; draft of `cortex tools declare`. What goes out for sale stands before everybody.

(deftool dokument_sok
  :doc "Sök dokument i klubbens mapp"
  :params (:text string)
  :required (:text)
  :tier :allow :effect :none :output :untrusted
  :nouns ("dokument")
  :roles (:text :object))

(deftool dokument_las
  :doc "Läs ett dokument."
  :params (:dok string :kommentarer boolean)
  :required (:dok)
  :tier :allow :effect :none :output :untrusted
  :nouns ("dokument")
  :roles (:dok :id :kommentarer :flag))

(deftool kommentar_klar
  :doc "Markera en kommentar som åtgärdad"
  :params (:dok string :kommentar string)
  :required (:dok :kommentar)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("kommentar")
  :roles (:dok :id :kommentar :id))

(deftool lektion_lista
  :doc "Lektioner en vecka"
  :params (:vecka string)
  :required (:vecka)
  :tier :allow :effect :none :output :untrusted
  :nouns ("lektion")
  :roles (:vecka :time))

(deftool lektion_byt_hast
  :doc "Byt häst för en ryttare i en lektion."
  :params (:hast string :lektion string :ryttare string)
  :required (:hast :lektion :ryttare)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("lektion" "hast")
  :roles (:hast :object :lektion :id :ryttare :id))

(deftool lektion_flytta
  :doc "Flytta en lektion"
  :params (:dag string :lektion string :plats string :tid string)
  :required (:dag :lektion :tid)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("lektion")
  :roles (:dag :time :lektion :id :plats :object :tid :time))

(deftool lektion_installd
  :doc "Ställ in en lektion. Ryttarna får tillbaka sin klippning."
  :params (:lektion string :orsak string)
  :required (:lektion :orsak)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("lektion")
  :roles (:lektion :id :orsak :content))

(deftool hast_vila
  :doc "Lägg in vila för en häst, den kan då inte bokas"
  :params (:fran string :hast string :till string)
  :required (:fran :hast :till)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("hast" "vila")
  :roles (:fran :time :hast :id :till :time))

(deftool hast_kort
  :doc "Hästens kort, med anteckningar"
  :params (:hast string)
  :required (:hast)
  :tier :allow :effect :none :output :untrusted
  :nouns ("hast" "kort")
  :roles (:hast :object))

(deftool hast_salj
  :doc "Lägg ut en häst till försäljning på annonssidan."
  :params (:hast string :kontakt string :pris integer)
  :required (:hast :kontakt :pris)
  :tier :allow
  :class (:comm :create)
  :output :untrusted
  :nouns ("hast" "annons")
  :roles (:hast :id :kontakt :principal :pris :amount))

(deftool sms_ryttare
  :doc "SMS till ryttare (målsman om under 18)"
  :params (:ryttare (list string) :text string)
  :required (:ryttare :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("sms" "ryttare")
  :roles (:ryttare :principal :text :content))

(deftool medlem_roll
  :doc "Ge en medlem en roll i systemet."
  :params (:medlem string :roll (enum "ryttare" "ledare" "administrator"))
  :required (:medlem :roll)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("medlem" "roll")
  :roles (:medlem :principal :roll :permission))

(deftool swish_aterbetala
  :doc "Betala tillbaka till ett nummer via Swish."
  :params (:kronor integer :nummer string :text string)
  :required (:kronor :nummer)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("swish" "aterbetala")
  :roles (:kronor :amount :nummer :principal :text :content))

(deftool medlemslista_skicka
  :doc "Skickar hela medlemslistan som fil."
  :params (:till string)
  :required (:till)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("medlemslista")
  :roles (:till :principal))
