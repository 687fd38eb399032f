(deftool chat_leggi
  :doc "Messaggi di una chat del negozio"
  :params (:chat string :ultimi integer)
  :required (:chat)
  :tier :allow :effect :none :output :untrusted
  :nouns ("chat")
  :roles (:chat :object :ultimi :object))

(deftool cliente_cerca
  :doc "Cerca un cliente in rubrica"
  :params (:nome string)
  :required (:nome)
  :tier :allow :effect :none :output :untrusted
  :nouns ("cliente")
  :roles (:nome :object))

(deftool fiori_disponibili
  :doc "Steli in cella"
  :params (:varieta (list string))
  :required (:varieta)
  :tier :allow :effect :none :output :trusted
  :nouns ("fiori")
  :roles (:varieta :object))

(deftool ordine_crea
  :doc "Nuovo ordine per il laboratorio"
  :params (:cliente string :descrizione string :per_il string :prezzo number
           :tipo (enum "corona" "cuscino" "mazzo" "centrotavola" "altro"))
  :required (:cliente :descrizione :per_il :prezzo :tipo)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("ordine")
  :roles (:cliente :principal :descrizione :content :per_il :time :prezzo :amount :tipo :flag))

(deftool nastro_stampa
  :doc "Stampa la scritta per un nastro"
  :params (:colore string :ordine string :testo string)
  :required (:colore :ordine :testo)
  :tier :allow
  :class (:run)
  :output :untrusted
  :nouns ("nastro" "scritta")
  :roles (:colore :flag :ordine :object :testo :content))

(deftool grossista_ordina
  :doc "Ordina fiori dal grossista abituale, addebito a fine mese"
  :params (:per_il string :steli integer :varieta string)
  :required (:per_il :steli :varieta)
  :tier :allow
  :class (:pay :book)
  :output :untrusted
  :nouns ("fiori" "grossista")
  :roles (:per_il :time :steli :amount :varieta :object))

(deftool consegna_prenota
  :doc "Prenota il furgone"
  :params (:indirizzo string :ordini (list string) :quando string :riferimento string)
  :required (:indirizzo :ordini :quando)
  :tier :allow
  :class (:book)
  :output :untrusted
  :nouns ("consegna" "furgone")
  :roles (:indirizzo :principal :ordini :object :quando :time))

(deftool cliente_messaggio
  :doc "SMS o messaggio a un cliente"
  :params (:cliente string :testo string)
  :required (:cliente :testo)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("messaggio" "cliente")
  :roles (:cliente :principal :testo :content))

(deftool buono_emetti
  :doc "Emette un buono regalo spendibile subito"
  :params (:intestato_a string :invia_a string :valore number)
  :required (:intestato_a :invia_a :valore)
  :tier :allow
  :class (:pay :create)
  :output :untrusted
  :nouns ("buono")
  :roles (:intestato_a :principal :invia_a :principal :valore :amount))

(deftool rimborso
  :doc "Rimborsa un ordine pagato"
  :params (:iban string :importo number :ordine string)
  :required (:iban :importo :ordine)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("rimborso")
  :roles (:iban :principal :importo :amount :ordine :id))

(deftool incasso_conto
  :doc "Cambia il conto su cui arrivano gli incassi"
  :params (:iban string :intestatario string)
  :required (:iban :intestatario)
  :tier :allow
  :class (:pay :update)
  :output :untrusted
  :nouns ("incassi" "conto")
  :roles (:iban :principal :intestatario :principal))

(deftool rubrica_esporta
  :doc "Manda la rubrica clienti"
  :params (:a string :filtro string)
  :required (:a)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("rubrica")
  :roles (:a :principal :filtro :object))

(deftool ordine_annulla
  :doc "Annulla un ordine"
  :params (:ordine string)
  :required (:ordine)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("ordine")
  :roles (:ordine :id))

(deftool pagina_apri
  :doc "Apre una pagina web"
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("pagina")
  :roles (:url :net))
