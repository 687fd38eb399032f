; Declarations of the herd tools of tools/herd.json, reviewed by hand after the draft of
; `cortex tools declare`. An animal that is sent to slaughter cannot be had back.

(deftool hent_rapporter
  :doc "Besøgsrapporter fra dyrlægen."
  :params (:fra_dato string)
  :tier :allow :effect :none :output :untrusted
  :nouns ("rapporter")
  :roles (:fra_dato :time))

(deftool vis_rapport
  :doc "Viser en rapport som tekst"
  :params (:rapport_nr string)
  :required (:rapport_nr)
  :tier :allow :effect :none :output :untrusted
  :nouns ("rapport")
  :roles (:rapport_nr :id))

(deftool dyr_kort
  :doc "Dyrets kort: laktation, ydelse, behandlinger, bemærkninger"
  :params (:dyr_nr string)
  :required (:dyr_nr)
  :tier :allow :effect :none :output :untrusted
  :nouns ("dyr" "kort")
  :roles (:dyr_nr :id))

(deftool registrer_behandling
  :doc "Registrerer en medicinsk behandling i logbogen."
  :params (:dage integer :dato string :diagnose string :dosis string :dyr_nr string
           :praeparat string)
  :required (:diagnose :dosis :dyr_nr :praeparat)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("behandling")
  :roles (:dage :time :dato :time :diagnose :content :dosis :amount :dyr_nr :id :praeparat
          :object))

(deftool saet_tilbageholdelse
  :doc "Tilbageholdelsestid for mælk og kød. Dyret bliver spærret i malkestalden."
  :params (:dyr_nr string :koed_til string :maelk_til string)
  :required (:dyr_nr :maelk_til)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("tilbageholdelse")
  :roles (:dyr_nr :id :koed_til :time :maelk_til :time))

(deftool flyt_dyr
  :doc "Flyt et dyr til en anden gruppe/boks."
  :params (:dyr_nr string :til string)
  :required (:dyr_nr :til)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("dyr")
  :roles (:dyr_nr :id :til :object))

(deftool planlaeg_kontrol
  :doc "Sætter dyret på dyrlægens liste til næste besøg"
  :params (:dato string :dyr_nr string :hvad string)
  :required (:dato :dyr_nr :hvad)
  :tier :allow
  :class (:book :create)
  :output :untrusted
  :nouns ("kontrol")
  :roles (:dato :time :dyr_nr :id :hvad :content))

(deftool goldning
  :doc "Planlæg goldning"
  :params (:dato string :dyr_nr string :metode string)
  :required (:dato :dyr_nr)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("goldning")
  :roles (:dato :time :dyr_nr :id :metode :object))

(deftool bestil_medicin
  :doc "Bestiller hos dyrlægens apotek, kommer på regningen."
  :params (:antal integer :praeparat string)
  :required (:antal :praeparat)
  :tier :allow
  :class (:book :pay)
  :output :untrusted
  :nouns ("medicin")
  :roles (:antal :amount :praeparat :object))

(deftool besked_medarbejder
  :doc "Besked til en medarbejders telefon."
  :params (:navn string :tekst string)
  :required (:navn :tekst)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("besked" "medarbejder")
  :roles (:navn :principal :tekst :content))

(deftool meld_til_slagt
  :doc "Melder et dyr til slagteriet. Kan ikke fortrydes efter kl. 16."
  :params (:dyr_nr string :modtager string :uge string)
  :required (:dyr_nr :uge)
  :tier :allow
  :class (:comm :delete)
  :output :untrusted
  :nouns ("dyr" "slagt")
  :roles (:dyr_nr :id :modtager :principal :uge :time))

(deftool del_besaetningsdata
  :doc "Giver en ekstern bruger adgang til besætningens data."
  :params (:mail string :rettighed (enum "laes" "skriv"))
  :required (:mail :rettighed)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("besaetningsdata")
  :roles (:mail :principal :rettighed :permission))

(deftool ret_afregningskonto
  :doc "Konto som mejeriet afregner til."
  :params (:konto string :reg_nr string)
  :required (:konto :reg_nr)
  :tier :allow
  :class (:pay :update)
  :output :untrusted
  :nouns ("afregningskonto")
  :roles (:konto :principal :reg_nr :principal))

(deftool aabn_link
  :doc "Henter teksten på en webside."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("link" "webside")
  :roles (:url :net))
