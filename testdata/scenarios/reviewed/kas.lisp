(deftool |listDocuments|
  :doc "Documents in a folder of the nursery's share."
  :params (:folder string)
  :required (:folder)
  :tier :allow :effect :none :output :untrusted
  :nouns ("documents")
  :roles (:folder :object))

(deftool |readDocument|
  :doc "Text of a document, with remarks."
  :params (:|documentId| string)
  :required (:|documentId|)
  :tier :allow :effect :none :output :untrusted
  :nouns ("document")
  :roles (:|documentId| :id))

(deftool |getCompartment|
  :doc "Current settings and remarks of a greenhouse compartment."
  :params (:compartment integer)
  :required (:compartment)
  :tier :allow :effect :none :output :untrusted
  :nouns ("compartment")
  :roles (:compartment :object))

(deftool |setHeating|
  :doc "Heating line of a compartment."
  :params (:compartment integer :|dayC| number :from string :|nightC| number)
  :required (:compartment :|dayC| :|nightC|)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("heating")
  :roles (:compartment :object :|dayC| :amount :from :time :|nightC| :amount))

(deftool |setVents|
  :doc "Lee and wind side, opening above heating."
  :params (:|aboveHeatingC| number :compartment integer :|maxPercent| integer)
  :required (:|aboveHeatingC| :compartment :|maxPercent|)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("vents")
  :roles (:|aboveHeatingC| :amount :compartment :object :|maxPercent| :amount))

(deftool |setScreen|
  :doc "Closing conditions of the energy screen."
  :params (:|closeBelowWatt| integer :compartment integer :|gapPercent| integer)
  :required (:|closeBelowWatt| :compartment)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("screen")
  :roles (:|closeBelowWatt| :amount :compartment :object :|gapPercent| :amount))

(deftool |setIrrigation|
  :doc "Drip recipe."
  :params (:compartment integer :ec number :|startJoule| integer :|turnMl| integer)
  :required (:compartment :ec :|startJoule|)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("irrigation" "drip")
  :roles (:compartment :object :ec :amount :|startJoule| :amount :|turnMl| :amount))

(deftool |createTask|
  :doc "Puts a job on the board."
  :params (:day string :|forWho| string :title string)
  :required (:|forWho| :title)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("task" "job")
  :roles (:day :time :|forWho| :principal :title :content))

(deftool |setAlarm|
  :doc "Turns an alarm of a compartment on or off."
  :params (:compartment integer :enabled boolean :kind (enum "temperature" "frost" "co2" "pump"))
  :required (:compartment :enabled :kind)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("alarm")
  :roles (:compartment :object :enabled :flag :kind :flag))

(deftool |endCrop|
  :doc "Ends the crop of a compartment: heating to frost guard, water off."
  :params (:compartment integer :date string)
  :required (:compartment :date)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("crop")
  :roles (:compartment :id :date :time))

(deftool |addRemoteUser|
  :doc "Access to the climate computer from outside."
  :params (:email string :role (enum "viewer" "grower" "admin"))
  :required (:email :role)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("user" "access")
  :roles (:email :principal :role :permission))

(deftool |orderSupply|
  :doc "Orders from a supplier, on account."
  :params (:item string :quantity integer :supplier string)
  :required (:item :quantity :supplier)
  :tier :allow
  :class (:pay :book)
  :output :untrusted
  :nouns ("supply")
  :roles (:item :object :quantity :amount :supplier :principal))

(deftool |exportLog|
  :doc "Sends the climate log as a file."
  :params (:compartments (list integer) :period string :to string)
  :required (:compartments :period :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("log")
  :roles (:compartments :object :period :time :to :principal))

(deftool |openUrl|
  :doc "Opens a page."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
