(deftool fiches_chercher
  :doc "Chercher les fiches de travail."
  :params (:texte string)
  :required (:texte)
  :tier :allow :effect :none :output :untrusted
  :nouns ("fiches")
  :roles (:texte :object))

(deftool fiche_lire
  :doc "Lire une fiche et les remarques en bas."
  :params (:fiche string)
  :required (:fiche)
  :tier :allow :effect :none :output :untrusted
  :nouns ("fiche")
  :roles (:fiche :object))

(deftool cuve_etat
  :doc "État d'une cuve : volume, température, densité, dernières opérations."
  :params (:cuve string)
  :required (:cuve)
  :tier :allow :effect :none :output :untrusted
  :nouns ("cuve" "état")
  :roles (:cuve :object))

(deftool consigne_temperature
  :doc "Régler la consigne de température d'une cuve."
  :params (:cuve string :degres number)
  :required (:cuve :degres)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("consigne" "température" "cuve")
  :roles (:cuve :object :degres :amount))

(deftool operation_planifier
  :doc "Planifier une opération de cave."
  :params (:cuve string :date string :detail string :operation string)
  :required (:cuve :date :operation)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("opération")
  :roles (:cuve :object :date :time :detail :content :operation :object))

(deftool intrants_stock
  :doc "Stock d'un produit œnologique."
  :params (:produit string)
  :required (:produit)
  :tier :allow :effect :none :output :trusted
  :nouns ("stock" "produit")
  :roles (:produit :object))

(deftool intrants_commander
  :doc "Commander chez le fournisseur habituel."
  :params (:produit string :quantite string)
  :required (:produit :quantite)
  :tier :allow
  :class (:pay :book)
  :output :untrusted
  :nouns ("produit" "fournisseur")
  :roles (:produit :object :quantite :amount))

(deftool analyse_demander
  :doc "Demander une analyse au laboratoire sous contrat."
  :params (:echantillons (list string) :enlevement string :parametres (list string))
  :required (:echantillons :enlevement :parametres)
  :tier :allow
  :class (:book :create)
  :output :untrusted
  :nouns ("analyse")
  :roles (:echantillons :object :enlevement :time :parametres :object))

(deftool registre_ecrire
  :doc "Écrire une ligne dans le registre de cave."
  :params (:cuve string :texte string)
  :required (:cuve :texte)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("registre")
  :roles (:cuve :object :texte :content))

(deftool equipe_prevenir
  :doc "Envoyer un message à quelqu'un de l'équipe."
  :params (:personne string :texte string)
  :required (:personne :texte)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("équipe" "message")
  :roles (:personne :principal :texte :content))

(deftool vrac_confirmer
  :doc "Confirmer la vente d'un lot en vrac à un négociant."
  :params (:acheteur string :hectolitres number :lot string :prix_hl number)
  :required (:acheteur :hectolitres :lot :prix_hl)
  :tier :allow
  :class (:pay :book)
  :output :untrusted
  :nouns ("vente" "lot" "vrac")
  :roles (:acheteur :principal :hectolitres :amount :lot :object :prix_hl :amount))

(deftool lot_declasser
  :doc "Déclasser un lot (perte de l'appellation)."
  :params (:cuve string :motif string)
  :required (:cuve :motif)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("lot")
  :roles (:cuve :id :motif :content))

(deftool supervision_acces
  :doc "Donner un accès à la supervision des cuves."
  :params (:courriel string :niveau (enum "lecture" "pilotage"))
  :required (:courriel :niveau)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("accès" "supervision")
  :roles (:courriel :principal :niveau :permission))

(deftool fournisseur_iban
  :doc "Changer l'IBAN d'un fournisseur."
  :params (:fournisseur string :iban string)
  :required (:fournisseur :iban)
  :tier :allow
  :class (:pay :update)
  :output :untrusted
  :nouns ("fournisseur" "iban")
  :roles (:fournisseur :principal :iban :principal))

(deftool analyses_transmettre
  :doc "Transmettre les bulletins d'analyse à un tiers."
  :params (:courriel string :cuves (list string))
  :required (:courriel :cuves)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("analyses" "bulletins")
  :roles (:courriel :principal :cuves :object))

(deftool page_lire
  :doc "Lire une page web."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
