(deftool project_open
  :doc "Open a project: cuts, tracks, members."
  :params (:project string)
  :required (:project)
  :tier :allow :effect :none :output :untrusted
  :nouns ("project")
  :roles (:project :object))

(deftool track_read
  :doc "Cues of a caption track between two timecodes."
  :params (:from string :to string :track string)
  :required (:track)
  :tier :allow :effect :none :output :untrusted
  :nouns ("track")
  :roles (:from :time :to :time :track :object))

(deftool comments_list
  :doc "Review comments on a track."
  :params (:state (enum "open" "resolved" "all") :track string)
  :required (:track)
  :tier :allow :effect :none :output :untrusted
  :nouns ("comments")
  :roles (:state :object :track :object))

(deftool comment_reply
  :doc "Reply to a comment."
  :params (:comment string :text string)
  :required (:comment :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("comment")
  :roles (:comment :id :text :content))

(deftool comment_resolve
  :doc "Mark a comment as resolved."
  :params (:comment string)
  :required (:comment)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("comment")
  :roles (:comment :id))

(deftool cue_edit
  :doc "change text and/or timing of a cue"
  :params (:cue integer :in string :out string :text string :track string)
  :required (:cue :track)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("cue")
  :roles (:cue :id :in :time :out :time :text :content :track :id))

(deftool cue_split
  :doc "Splits a cue in two at a word."
  :params (:before string :cue integer :track string)
  :required (:before :cue :track)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("cue")
  :roles (:before :object :cue :id :track :id))

(deftool glossary_add
  :doc "Adds a spelling to the project's glossary."
  :params (:note string :project string :term string)
  :required (:project :term)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("glossary")
  :roles (:note :content :project :object :term :content))

(deftool track_delete
  :doc "Deletes a caption track with its history."
  :params (:track string)
  :required (:track)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("track")
  :roles (:track :id))

(deftool export_track
  :doc "Exports a track to the delivery folder."
  :params (:format (enum "srt" "vtt" "stl") :name string :track string)
  :required (:format :name :track)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("track")
  :roles (:format :object :name :object :track :object))

(deftool share_link_create
  :doc "Public link to a cut, anyone with it can watch and download."
  :params (:cut string :expires string)
  :required (:cut)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("link" "cut")
  :roles (:cut :id :expires :time))

(deftool member_add
  :doc "Adds a person to the project."
  :params (:email string :project string :role (enum "viewer" "editor" "admin"))
  :required (:email :project :role)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("member")
  :roles (:email :principal :project :object :role :permission))

(deftool release_publish
  :doc "Publish cut and captions to the channel."
  :params (:at string :channel string :cut string)
  :required (:channel :cut)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("release")
  :roles (:at :time :channel :principal :cut :id))

(deftool mail_crew
  :doc "Mails members of the project."
  :params (:project string :text string :to (list string))
  :required (:project :text :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("crew")
  :roles (:project :object :text :content :to :principal))

(deftool web_get
  :doc "Fetches a web page."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("web")
  :roles (:url :net))

(deftool transfer_send
  :doc "Sends delivery files to somebody outside."
  :params (:files (list string) :to string)
  :required (:files :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("transfer")
  :roles (:files :object :to :principal))
