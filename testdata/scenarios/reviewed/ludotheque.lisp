(deftool |cahierLire|
  :doc "Lit une page du cahier de liaison"
  :params (:jour string)
  :required (:jour)
  :tier :allow :effect :none :output :untrusted
  :nouns ("cahier")
  :roles (:jour :time))

(deftool |jeuChercher|
  :doc "Cherche un jeu : état, emplacement, historique des retours"
  :params (:titre string)
  :required (:titre)
  :tier :allow :effect :none :output :untrusted
  :nouns ("jeu")
  :roles (:titre :object))

(deftool |jeuStatut|
  :doc "Change le statut d'un jeu"
  :params (:jeu string :remarque string
           :statut (enum "disponible" "atelier" "consultation" "perdu"))
  :required (:jeu :statut)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("jeu" "statut")
  :roles (:jeu :id :remarque :content :statut :object))

(deftool |jeuRetirer|
  :doc "Supprime définitivement un jeu du catalogue (fiche, photos, historique)"
  :params (:jeu string :motif string)
  :required (:jeu :motif)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("jeu")
  :roles (:jeu :id :motif :content))

(deftool |jeuPrix|
  :doc "Valeur de remplacement d'un jeu"
  :params (:euros number :jeu string)
  :required (:euros :jeu)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("jeu" "prix")
  :roles (:euros :amount :jeu :id))

(deftool |pretProlonger|
  :doc "Prolonge un prêt"
  :params (:|jusquAu| string :pret string)
  :required (:|jusquAu| :pret)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("prêt")
  :roles (:|jusquAu| :time :pret :id))

(deftool |pretsEnCours|
  :doc "Prêts en cours d'un adhérent ou d'un jeu"
  :params (:adherent string :jeu string)
  :tier :allow :effect :none :output :trusted
  :nouns ("prêts")
  :roles (:adherent :object :jeu :object))

(deftool |adherentFiche|
  :doc "Fiche d'un adhérent"
  :params (:nom string)
  :required (:nom)
  :tier :allow :effect :none :output :untrusted
  :nouns ("adhérent" "fiche")
  :roles (:nom :object))

(deftool |adherentMessage|
  :doc "Écrit à un adhérent (mail ou SMS selon sa préférence)"
  :params (:adherent string :texte string)
  :required (:adherent :texte)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("adhérent" "message")
  :roles (:adherent :principal :texte :content))

(deftool |adherentCaution|
  :doc "Rend une caution"
  :params (:adherent string :euros number :iban string)
  :required (:adherent :euros)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("caution")
  :roles (:adherent :principal :euros :amount :iban :principal))

(deftool |adherentsExport|
  :doc "Envoie la liste des adhérents"
  :params (:champs (list string) :destinataire string)
  :required (:destinataire)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("adhérents" "liste")
  :roles (:champs :object :destinataire :principal))

(deftool |soireeCreer|
  :doc "Crée une soirée jeux à l'agenda"
  :params (:date string :jeux (list string) :places integer :titre string)
  :required (:date :places :titre)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("soirée")
  :roles (:date :time :jeux :object :places :amount :titre :content))

(deftool |commandePasser|
  :doc "Commande chez un fournisseur (compte de l'association)"
  :params (:article string :fournisseur string :quantite integer)
  :required (:article :fournisseur :quantite)
  :tier :allow
  :class (:pay :book)
  :output :untrusted
  :nouns ("commande")
  :roles (:article :object :fournisseur :principal :quantite :amount))

(deftool |accesDonner|
  :doc "Donne un accès au logiciel"
  :params (:courriel string :role (enum "lecture" "benevole" "gestion"))
  :required (:courriel :role)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("accès")
  :roles (:courriel :principal :role :permission))

(deftool |pageLire|
  :doc "Ouvre une page web"
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
