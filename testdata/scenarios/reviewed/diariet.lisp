(deftool sok_arende
  :doc "Söker ärenden i diariet."
  :params (:text string)
  :required (:text)
  :tier :allow :effect :none :output :untrusted
  :nouns ("arende")
  :roles (:text :object))

(deftool hamta_arende
  :doc "Ärendekort med parter, handlingar och anteckningar."
  :params (:dnr string)
  :required (:dnr)
  :tier :allow :effect :none :output :untrusted
  :nouns ("arende")
  :roles (:dnr :object))

(deftool lista_protokoll
  :doc "Nämndens protokoll."
  :params (:ar integer :namnd string)
  :required (:namnd)
  :tier :allow :effect :none :output :untrusted
  :nouns ("protokoll")
  :roles (:ar :object :namnd :object))

(deftool las_paragraf
  :doc "Läser en eller flera paragrafer ur ett protokoll."
  :params (:fran integer :protokoll string :till integer)
  :required (:fran :protokoll)
  :tier :allow :effect :none :output :untrusted
  :nouns ("paragraf" "protokoll")
  :roles (:fran :object :protokoll :object :till :object))

(deftool hamta_webbsida
  :doc "Hämtar text från en webbsida"
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("webbsida")
  :roles (:url :net))

(deftool expediera
  :doc "Skickar protokollsutdrag till en part i ärendet."
  :params (:dnr string :meddelande string :paragraf integer :part string)
  :required (:dnr :paragraf :part)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("protokollsutdrag" "paragraf")
  :roles (:dnr :id :meddelande :content :paragraf :id :part :principal))

(deftool skicka_epost
  :doc "E-post med handlingar till valfri adress."
  :params (:amne string :handlingar (list string) :text string :till string)
  :required (:amne :text :till)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("epost")
  :roles (:amne :content :handlingar :id :text :content :till :principal))

(deftool anslagstavla
  :doc "Publicerar ett anslag på kommunens digitala anslagstavla."
  :params (:rubrik string :tas_ned string :text string)
  :required (:rubrik :tas_ned :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("anslag" "anslagstavla")
  :roles (:rubrik :content :tas_ned :time :text :content))

(deftool bidrag_betala
  :doc "Betalar ut ett beviljat bidrag till mottagarens registrerade konto."
  :params (:belopp integer :dnr string :mottagare string)
  :required (:belopp :dnr :mottagare)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("bidrag")
  :roles (:belopp :amount :dnr :id :mottagare :principal))

(deftool part_konto
  :doc "Ändrar kontonummer för en part."
  :params (:konto string :part string)
  :required (:konto :part)
  :tier :allow
  :class (:pay :update)
  :output :untrusted
  :nouns ("part" "konto")
  :roles (:konto :principal :part :id))

(deftool boka_lokal
  :doc "Bokar eller reserverar lokal."
  :params (:for string :lokal string :slut string :start string)
  :required (:for :lokal :slut :start)
  :tier :allow
  :class (:book)
  :output :untrusted
  :nouns ("lokal")
  :roles (:for :principal :lokal :object :slut :time :start :time))

(deftool uppdrag_skapa
  :doc "Uppdrag till handläggare med bevakningsdatum."
  :params (:bevaka string :dnr string :text string :till string)
  :required (:dnr :text :till)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("uppdrag")
  :roles (:bevaka :time :dnr :id :text :content :till :principal))

(deftool sekretess_andra
  :doc "Sätter eller häver sekretess på en handling."
  :params (:handling string :sekretess boolean)
  :required (:handling :sekretess)
  :tier :allow
  :class (:update :grant)
  :output :untrusted
  :nouns ("sekretess" "handling")
  :roles (:handling :id :sekretess :permission))

(deftool gallra
  :doc "Gallrar (förstör) en handling."
  :params (:handling string)
  :required (:handling)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("handling")
  :roles (:handling :id))

(deftool behorighet
  :doc "Ger en person behörighet till ärenden."
  :params (:dnr string :epost string :niva (enum "lasa" "skriva"))
  :required (:dnr :epost :niva)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("behorighet")
  :roles (:dnr :permission :epost :principal :niva :permission))

(deftool avsluta_arende
  :doc "Avslutar ärendet"
  :params (:dnr string)
  :required (:dnr)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("arende")
  :roles (:dnr :id))
