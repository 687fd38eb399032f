(deftool objekt_suchen
  :doc "Sucht Objekte und Wohnungen"
  :params (:text string)
  :required (:text)
  :tier :allow :effect :none :output :untrusted
  :nouns ("objekt")
  :roles (:text :object))

(deftool wohnung_anzeigen
  :doc "Zeigt eine Wohnung mit Mietern, Zählern und Schlüsseln."
  :params (:whg string)
  :required (:whg)
  :tier :allow :effect :none :output :untrusted
  :nouns ("wohnung")
  :roles (:whg :object))

(deftool anhang_liste
  :doc "Listet Anhänge einer Wohnung."
  :params (:whg string)
  :required (:whg)
  :tier :allow :effect :none :output :untrusted
  :nouns ("anhang")
  :roles (:whg :object))

(deftool anhang_text
  :doc "Gibt den Text eines Anhangs aus (Scans per Texterkennung)."
  :params (:id string)
  :required (:id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("anhang")
  :roles (:id :id))

(deftool zaehlerstand_setzen
  :doc "Trägt einen Zählerstand ein."
  :params (:datum string :stand number :whg string :zaehler string)
  :required (:datum :stand :whg :zaehler)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("zaehlerstand")
  :roles (:datum :time :stand :amount :whg :id :zaehler :id))

(deftool auftrag_handwerker
  :doc "Beauftragt einen Handwerker aus der Liste."
  :params (:bis string :firma string :text string :whg string)
  :required (:firma :text :whg)
  :tier :allow
  :class (:book :create)
  :output :untrusted
  :nouns ("auftrag" "handwerker")
  :roles (:bis :time :firma :principal :text :content :whg :id))

(deftool firmen_liste
  :doc "Firmenliste mit Kürzeln"
  :params (:gewerk string)
  :tier :allow :effect :none :output :trusted
  :nouns ("firmen")
  :roles (:gewerk :object))

(deftool schluessel_buchen
  :doc "Bucht Schlüssel als zurückgegeben, ausgegeben oder fehlend."
  :params (:anzahl integer :art string :status (enum "zurueck" "ausgegeben" "fehlt") :whg string)
  :required (:anzahl :art :status :whg)
  :tier :allow
  :class (:book :update)
  :output :untrusted
  :nouns ("schluessel")
  :roles (:anzahl :amount :art :object :status :object :whg :id))

(deftool mieter_adresse
  :doc "Neue Anschrift eines Mieters."
  :params (:anschrift string :mieter string)
  :required (:anschrift :mieter)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("mieter" "adresse")
  :roles (:anschrift :principal :mieter :principal))

(deftool mieter_bank
  :doc "Bankverbindung eines Mieters für Rückzahlungen."
  :params (:iban string :inhaber string :mieter string)
  :required (:iban :mieter)
  :tier :allow
  :class (:pay :update)
  :output :untrusted
  :nouns ("mieter" "bank")
  :roles (:iban :principal :inhaber :principal :mieter :principal))

(deftool kaution_auszahlen
  :doc "Zahlt die Kaution oder einen Teil aus."
  :params (:betrag number :grund string :mieter string)
  :required (:betrag :mieter)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("kaution")
  :roles (:betrag :amount :grund :content :mieter :principal))

(deftool mieter_schreiben
  :doc "Schreibt einem Mieter (Mail aus den Stammdaten)."
  :params (:betreff string :mieter string :text string)
  :required (:betreff :mieter :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("mieter" "schreiben")
  :roles (:betreff :content :mieter :principal :text :content))

(deftool tuercode_vergeben
  :doc "Code für das elektronische Haustürschloss."
  :params (:bis string :code string :name string :objekt string)
  :required (:code :name :objekt)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("tuercode")
  :roles (:bis :time :code :secret :name :principal :objekt :id))

(deftool inserat_anlegen
  :doc "Stellt die Wohnung ins Portal ein."
  :params (:frei_ab string :miete number :text string :whg string)
  :required (:frei_ab :miete :text :whg)
  :tier :allow
  :class (:create :comm)
  :output :untrusted
  :nouns ("inserat")
  :roles (:frei_ab :time :miete :amount :text :content :whg :id))

(deftool link_lesen
  :doc "Liest eine Internetseite."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("link")
  :roles (:url :net))
