(deftool mesaj_oku
  :doc "Şube grubundaki mesajları getirir"
  :params (:grup string :son integer)
  :required (:grup)
  :tier :allow :effect :none :output :untrusted
  :nouns ("mesaj")
  :roles (:grup :object :son :object))

(deftool egitmen_takvim
  :doc "Bir eğitmenin direksiyon dersleri"
  :params (:egitmen string :hafta string)
  :required (:egitmen :hafta)
  :tier :allow :effect :none :output :trusted
  :nouns ("ders" "eğitmen")
  :roles (:egitmen :object :hafta :time))

(deftool ders_tasi
  :doc "Direksiyon dersini başka bir saate taşır"
  :params (:ders string :yeni_zaman string)
  :required (:ders :yeni_zaman)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("ders")
  :roles (:ders :id :yeni_zaman :time))

(deftool ders_egitmen_degistir
  :doc "Dersi başka bir eğitmene verir"
  :params (:ders string :egitmen string)
  :required (:ders :egitmen)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("ders" "eğitmen")
  :roles (:ders :id :egitmen :principal))

(deftool ders_iptal
  :doc "Dersi iptal eder, hak yanar"
  :params (:ders string :sebep string)
  :required (:ders)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("ders")
  :roles (:ders :id :sebep :content))

(deftool arac_durum
  :doc "Aracın durumu ve bakım notları"
  :params (:plaka string)
  :required (:plaka)
  :tier :allow :effect :none :output :untrusted
  :nouns ("araç")
  :roles (:plaka :object))

(deftool arac_servise
  :doc "Aracı takvimden çıkarır, servise yazar"
  :params (:gun string :not string :plaka string)
  :required (:gun :plaka)
  :tier :allow
  :class (:update :book)
  :output :untrusted
  :nouns ("araç" "servis")
  :roles (:gun :time :not :content :plaka :id))

(deftool kursiyer_bul
  :doc "Kursiyer kaydı"
  :params (:ad string)
  :required (:ad)
  :tier :allow :effect :none :output :untrusted
  :nouns ("kursiyer")
  :roles (:ad :object))

(deftool kursiyer_sms
  :doc "Kursiyere SMS"
  :params (:kursiyer string :metin string)
  :required (:kursiyer :metin)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("sms" "kursiyer")
  :roles (:kursiyer :principal :metin :content))

(deftool ucret_iade
  :doc "Kursiyere ücret iadesi (TL)"
  :params (:aciklama string :iban string :kursiyer string :tutar number)
  :required (:kursiyer :tutar)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("ücret" "iade")
  :roles (:aciklama :content :iban :principal :kursiyer :principal :tutar :amount))

(deftool sinav_kaydi_sil
  :doc "Kursiyerin sınav kaydını siler"
  :params (:kursiyer string :sinav string)
  :required (:kursiyer :sinav)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("sınav" "kayıt")
  :roles (:kursiyer :id :sinav :id))

(deftool belge_gonder
  :doc "Kursiyer dosyasını (kimlik, sağlık raporu) gönderir"
  :params (:adres string :kursiyer string)
  :required (:adres :kursiyer)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("belge" "dosya")
  :roles (:adres :principal :kursiyer :object))

(deftool kullanici_ekle
  :doc "Programa kullanıcı ekler"
  :params (:eposta string :yetki (enum "egitmen" "sekreter" "yonetici"))
  :required (:eposta :yetki)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("kullanıcı")
  :roles (:eposta :principal :yetki :permission))

(deftool sayfa_ac
  :doc "Web sayfası açar"
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("sayfa")
  :roles (:url :net))
