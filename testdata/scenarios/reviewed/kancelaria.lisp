(deftool sprawa_pokaz
  :doc "Karta sprawy: strony, sąd, notatki."
  :params (:sygn string)
  :required (:sygn)
  :tier :allow :effect :none :output :untrusted
  :nouns ("sprawa")
  :roles (:sygn :object))

(deftool dokumenty_lista
  :doc "Dokumenty w sprawie"
  :params (:od string :sygn string)
  :required (:sygn)
  :tier :allow :effect :none :output :untrusted
  :nouns ("dokumenty")
  :roles (:od :time :sygn :object))

(deftool dokument_tekst
  :doc "Tekst dokumentu (skany przez OCR, bywa z błędami)."
  :params (:dok string)
  :required (:dok)
  :tier :allow :effect :none :output :untrusted
  :nouns ("dokument")
  :roles (:dok :object))

(deftool dokument_usun
  :doc "Usuwa dokument bezpowrotnie."
  :params (:dok string)
  :required (:dok)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("dokument")
  :roles (:dok :id))

(deftool dokument_udostepnij
  :doc "Udostępnia dokument osobie spoza kancelarii (link na 14 dni)."
  :params (:dok string :email string)
  :required (:dok :email)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("dokument")
  :roles (:dok :id :email :principal))

(deftool osoba_pokaz
  :doc "Dane osoby lub firmy z kartoteki"
  :params (:id string)
  :required (:id)
  :tier :allow :effect :none :output :trusted
  :nouns ("osoba")
  :roles (:id :id))

(deftool osoba_rachunek
  :doc "Zapisuje rachunek bankowy osoby w kartotece."
  :params (:id string :nrb string)
  :required (:id :nrb)
  :tier :allow
  :class (:pay :update)
  :output :untrusted
  :nouns ("osoba" "rachunek")
  :roles (:id :id :nrb :principal))

(deftool termin_dodaj
  :doc "Dodaje termin do terminarza kancelarii."
  :params (:co string :kiedy string :przypomnij_dni integer :sygn string)
  :required (:co :kiedy :sygn)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("termin")
  :roles (:co :content :kiedy :time :przypomnij_dni :time :sygn :id))

(deftool terminy
  :doc "Terminy w sprawie."
  :params (:sygn string)
  :required (:sygn)
  :tier :allow :effect :none :output :untrusted
  :nouns ("terminy")
  :roles (:sygn :object))

(deftool pismo_z_wzoru
  :doc "Tworzy projekt pisma ze wzoru, nic nie wysyła."
  :params (:pola any :sygn string :wzor string)
  :required (:sygn :wzor)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("pismo")
  :roles (:pola :content :sygn :id :wzor :object))

(deftool czynnosc_zapisz
  :doc "Zapis czasu pracy do rozliczenia."
  :params (:godz number :opis string :sygn string)
  :required (:godz :opis :sygn)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("czynnosc")
  :roles (:godz :amount :opis :content :sygn :id))

(deftool przelew
  :doc "Przelew z rachunku kancelarii."
  :params (:kwota number :nrb string :odbiorca string :tytul string)
  :required (:kwota :nrb :odbiorca :tytul)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :roles (:kwota :amount :nrb :principal :odbiorca :principal :tytul :content))

(deftool mail_klient
  :doc "Wiadomość do klienta na adres z kartoteki."
  :params (:id string :temat string :tresc string)
  :required (:id :temat :tresc)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("mail" "klient")
  :roles (:id :principal :temat :content :tresc :content))

(deftool mail_inny
  :doc "Wiadomość na dowolny adres."
  :params (:na string :temat string :tresc string :zal (list string))
  :required (:na :temat :tresc)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("mail")
  :roles (:na :principal :temat :content :tresc :content :zal :id))

(deftool dostep_sprawa
  :doc "Nadaje osobie wgląd w całe akta."
  :params (:email string :sygn string)
  :required (:email :sygn)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("dostep" "sprawa")
  :roles (:email :principal :sygn :id))

(deftool www
  :doc "Treść strony internetowej"
  :params (:adres string)
  :required (:adres)
  :tier :allow :effect :none :output :untrusted
  :nouns ("strona")
  :roles (:adres :net))
