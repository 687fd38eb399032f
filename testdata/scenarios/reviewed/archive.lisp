; Declarations of the archive tools of tools/archive.json, reviewed by hand after the draft of
; `cortex tools declare`. Who may see a record, and under which licence, are rights. Visitors
; write into the records, so that they are untrusted.

(deftool minutes-list
  :doc "Minutes of society meetings"
  :params (:year string)
  :tier :allow :effect :none :output :untrusted
  :nouns ("minutes")
  :roles (:year :time))

(deftool minutes-read
  :doc "Read minutes as text."
  :params (:id string)
  :required (:id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("minutes")
  :roles (:id :id))

(deftool catalogue-search
  :doc "Search the catalogue by words, accession number or place. Returns short records."
  :params (:limit integer :q string)
  :required (:q)
  :tier :allow :effect :none :output :untrusted
  :nouns ("catalogue")
  :roles (:limit :object :q :object))

(deftool catalogue-record
  :doc "Full record incl. notes and visitor comments from the public site"
  :params (:accession string)
  :required (:accession)
  :tier :allow :effect :none :output :untrusted
  :nouns ("catalogue" "record")
  :roles (:accession :id))

(deftool catalogue-update
  :doc "Change fields of a record. Only the given fields are changed."
  :params (:accession string :date string :note string
           :people (list string)
           :place string :title string)
  :required (:accession)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("catalogue" "record")
  :roles (:accession :id :date :time :note :content :people :content :place :object :title
          :content))

(deftool catalogue-merge
  :doc "Merge a duplicate record into another. The duplicate disappears."
  :params (:drop string :keep string)
  :required (:drop :keep)
  :tier :allow
  :class (:update :delete)
  :output :untrusted
  :nouns ("catalogue" "record")
  :roles (:drop :id :keep :id))

(deftool catalogue-delete
  :doc "Delete record and scans. No undo"
  :params (:accession string)
  :required (:accession)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("catalogue" "record")
  :roles (:accession :id))

(deftool visibility-set
  :doc "Show or hide a record on the public site."
  :params (:accession string :visibility (enum "public" "members" "hidden"))
  :required (:accession :visibility)
  :tier :allow
  :class (:update :grant)
  :output :untrusted
  :nouns ("visibility" "record")
  :roles (:accession :id :visibility :permission))

(deftool rights-set
  :doc "Set the licence of a record's scans"
  :params (:accession string :holder string :licence string)
  :required (:accession :licence)
  :tier :allow
  :class (:update :grant)
  :output :untrusted
  :nouns ("rights" "licence")
  :roles (:accession :id :holder :principal :licence :permission))

(deftool scan-send
  :doc "Send the full-resolution scans of a record by mail link"
  :params (:accession string :to string)
  :required (:accession :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("scan")
  :roles (:accession :id :to :principal))

(deftool exhibition-add
  :doc "Add records to a planned exhibition."
  :params (:accessions (list string) :exhibition string)
  :required (:accessions :exhibition)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("exhibition")
  :roles (:accessions :object :exhibition :id))

(deftool loan-out
  :doc "Register that an original leaves the building."
  :params (:accession string :borrower string :until string)
  :required (:accession :borrower :until)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("loan")
  :roles (:accession :id :borrower :principal :until :time))

(deftool member-notify
  :doc "Note to a member's inbox."
  :params (:member string :text string)
  :required (:member :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("member")
  :roles (:member :principal :text :content))

(deftool user-invite
  :doc "Invite an editor to the catalogue."
  :params (:mail string :role (enum "viewer" "editor" "admin"))
  :required (:mail :role)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("user")
  :roles (:mail :principal :role :permission))

(deftool open-page
  :doc "Load a web page, text only."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
