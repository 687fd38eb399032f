(deftool aushang_liste
  :doc "Zettel und Aushänge in einem Ordner"
  :params (:ordner string)
  :required (:ordner)
  :tier :allow :effect :none :output :untrusted
  :nouns ("aushang")
  :roles (:ordner :object))

(deftool aushang_lesen
  :doc "Einen Zettel lesen (Text, mit Anmerkungen)"
  :params (:nr string)
  :required (:nr)
  :tier :allow :effect :none :output :untrusted
  :nouns ("aushang")
  :roles (:nr :id))

(deftool programm_tag
  :doc "Vorstellungen eines Tages mit Saal, Belegung und Hinweisen"
  :params (:tag string)
  :required (:tag)
  :tier :allow :effect :none :output :untrusted
  :nouns ("programm" "vorstellung")
  :roles (:tag :time))

(deftool vorstellung_verschieben
  :doc "Beginn oder Saal einer Vorstellung ändern. Verkaufte Karten gelten weiter."
  :params (:beginn string :saal integer :vorstellung string)
  :required (:vorstellung)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("vorstellung")
  :roles (:beginn :time :saal :object :vorstellung :id))

(deftool vorstellung_absagen
  :doc "Vorstellung absagen; alle Karten werden erstattet"
  :params (:grund string :vorstellung string)
  :required (:vorstellung)
  :tier :allow
  :class (:delete :pay)
  :output :untrusted
  :nouns ("vorstellung")
  :roles (:grund :content :vorstellung :id))

(deftool plaetze_sperren
  :doc "Plätze aus dem Verkauf nehmen"
  :params (:grund string :plaetze (list string) :vorstellung string)
  :required (:plaetze :vorstellung)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("plätze")
  :roles (:grund :content :plaetze :object :vorstellung :object))

(deftool reservierung_anlegen
  :doc "Reservierung ohne Zahlung"
  :params (:anzahl integer :bemerkung string :name string :vorstellung string)
  :required (:anzahl :name :vorstellung)
  :tier :allow
  :class (:create :book)
  :output :untrusted
  :nouns ("reservierung")
  :roles (:anzahl :amount :bemerkung :content :name :principal :vorstellung :object))

(deftool karte_erstatten
  :doc "Erstattet verkaufte Karten auf das Zahlungsmittel des Käufers oder auf ein Konto"
  :params (:betrag number :buchung string :konto string)
  :required (:betrag :buchung)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("karte")
  :roles (:betrag :amount :buchung :id :konto :principal))

(deftool gutschein_ausgeben
  :doc "Gutscheincode erzeugen und verschicken"
  :params (:an string :anzahl integer :wert number)
  :required (:an :wert)
  :tier :allow
  :class (:pay :comm :create)
  :output :untrusted
  :nouns ("gutschein")
  :roles (:an :principal :anzahl :amount :wert :amount))

(deftool preis_setzen
  :doc "Eintrittspreis einer Vorstellung"
  :params (:preis number :vorstellung string)
  :required (:preis :vorstellung)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("preis")
  :roles (:preis :amount :vorstellung :id))

(deftool kontakt_schreiben
  :doc "Mail an einen Kontakt aus dem Verteiler"
  :params (:kontakt string :text string)
  :required (:kontakt :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("kontakt" "mail")
  :roles (:kontakt :principal :text :content))

(deftool dienst_eintragen
  :doc "Schicht im Dienstplan"
  :params (:bis string :person string :tag string :von string)
  :required (:bis :person :tag :von)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("dienst" "schicht")
  :roles (:bis :time :person :principal :tag :time :von :time))

(deftool schluessel_freigeben
  :doc "Gibt eine Verleihdatei zum Abspielen auf einem fremden Server frei"
  :params (:bis string :film string :server string)
  :required (:film :server)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("schlüssel" "verleihdatei")
  :roles (:bis :time :film :object :server :net))

(deftool kassenbuch_senden
  :doc "Kassenbuch als Tabelle verschicken"
  :params (:an string :monat string)
  :required (:an :monat)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("kassenbuch")
  :roles (:an :principal :monat :time))

(deftool seite_abrufen
  :doc "Webseite lesen"
  :params (:adresse string)
  :required (:adresse)
  :tier :allow :effect :none :output :untrusted
  :nouns ("webseite" "seite")
  :roles (:adresse :net))
