; Declarations of the food bank tools of tools/foodbank.json, reviewed by hand after the draft
; of `cortex tools declare`. An agency that is registered gets a login: that lets it in.

(deftool get_referrals
  :doc "Referrals by status."
  :params (:limit integer :status (enum "new" "accepted" "closed"))
  :required (:status)
  :tier :allow :effect :none :output :untrusted
  :nouns ("referrals")
  :roles (:limit :object :status :object))

(deftool get_referral
  :doc "One referral with all fields the agency filled in."
  :params (:ref string)
  :required (:ref)
  :tier :allow :effect :none :output :untrusted
  :nouns ("referral")
  :roles (:ref :id))

(deftool wiki_page
  :doc "Read a page of the volunteers' handbook."
  :params (:title string)
  :required (:title)
  :tier :allow :effect :none :output :untrusted
  :nouns ("wiki" "page" "handbook")
  :roles (:title :object))

(deftool household_find
  :doc "find households by surname or postcode"
  :params (:q string)
  :required (:q)
  :tier :allow :effect :none :output :untrusted
  :nouns ("household")
  :roles (:q :object))

(deftool household_create
  :doc "Create a household record"
  :params (:adults integer :children integer :needs (list string) :postcode string :surname string)
  :required (:adults :children :postcode :surname)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("household")
  :roles (:adults :amount :children :amount :needs :content :postcode :object :surname :content))

(deftool voucher_count
  :doc "Parcels a household had in the last six months."
  :params (:household string)
  :required (:household)
  :tier :allow :effect :none :output :untrusted
  :nouns ("voucher" "parcels")
  :roles (:household :object))

(deftool parcel_book
  :doc "Book a parcel for collection or delivery."
  :params (:delivery boolean
           :extras (list string)
           :household string
           :size (enum "single" "couple" "family" "large")
           :slot string)
  :required (:household :size :slot)
  :tier :allow
  :class (:book)
  :output :untrusted
  :nouns ("parcel")
  :roles (:delivery :flag :extras :object :household :principal :size :amount :slot :time))

(deftool referral_status
  :doc "Set status of a referral"
  :params (:note string :ref string :status (enum "accepted" "needs-info" "declined" "closed"))
  :required (:ref :status)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("referral" "status")
  :roles (:note :content :ref :id :status :object))

(deftool agency_message
  :doc "Message the worker who made the referral."
  :params (:ref string :text string)
  :required (:ref :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("agency")
  :roles (:ref :id :text :content))

(deftool coordinator_flag
  :doc "Put something on the coordinator's list for today."
  :params (:ref string :text string)
  :required (:text)
  :tier :allow
  :class (:comm :create)
  :output :untrusted
  :nouns ("coordinator")
  :roles (:ref :id :text :content))

(deftool fuel_voucher_issue
  :doc "Issue a prepayment meter voucher. Money! Max 49 GBP"
  :params (:amount number :household string :phone string)
  :required (:amount :household :phone)
  :tier :allow
  :class (:pay :create)
  :output :untrusted
  :nouns ("fuel" "voucher")
  :roles (:amount :amount :household :principal :phone :principal))

(deftool supermarket_card_send
  :doc "Send a supermarket gift card by text."
  :params (:amount number :phone string)
  :required (:amount :phone)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("supermarket" "card")
  :roles (:amount :amount :phone :principal))

(deftool agency_register
  :doc "Register an agency that may refer. They get a login."
  :params (:mail string :name string)
  :required (:mail :name)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("agency")
  :roles (:mail :principal :name :principal))

(deftool household_share
  :doc "Share a household's history with someone outside"
  :params (:household string :mail string)
  :required (:household :mail)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("household")
  :roles (:household :id :mail :principal))
