(deftool notes_search
  :doc "Search the household's shared notes by title or text."
  :params (:query string)
  :required (:query)
  :tier :allow :effect :none :output :untrusted
  :nouns ("notes")
  :roles (:query :object))

(deftool notes_get
  :doc "Read a note, with the comments below it."
  :params (:note_id string)
  :required (:note_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("notes")
  :roles (:note_id :id))

(deftool entities_list
  :doc "List devices and their current state."
  :params (:area string)
  :tier :allow :effect :none :output :untrusted
  :nouns ("entities")
  :roles (:area :object))

(deftool climate_set
  :doc "Set the target temperature of a heating zone for a period."
  :params (:celsius number :from string :until string :zone string)
  :required (:celsius :zone)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("climate" "temperature")
  :roles (:celsius :amount :from :time :until :time :zone :object))

(deftool feeder_schedule
  :doc "Set the meals of a pet feeder."
  :params (:device string :grams integer :times (list string))
  :required (:device :grams :times)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("feeder")
  :roles (:device :object :grams :amount :times :time))

(deftool vacuum_pause
  :doc "Pause the schedule of a robot vacuum until a given time."
  :params (:device string :until string)
  :required (:device :until)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("vacuum")
  :roles (:device :object :until :time))

(deftool camera_switch
  :doc "Turn a camera on or off."
  :params (:device string :on boolean)
  :required (:device :on)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("camera")
  :roles (:device :object :on :flag))

(deftool camera_share
  :doc "Share a camera's live stream with somebody outside the household."
  :params (:device string :email string)
  :required (:device :email)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("camera")
  :roles (:device :object :email :principal))

(deftool lock_code_add
  :doc "Add a PIN to a door lock. With a window it works in that time only."
  :params (:from string :lock string :name string :pin string :until string)
  :required (:lock :name :pin)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("lock" "code")
  :roles (:from :time :lock :object :name :principal :pin :secret :until :time))

(deftool lock_set
  :doc "Lock or unlock a door."
  :params (:lock string :state (enum "locked" "unlocked"))
  :required (:lock :state)
  :tier :allow
  :class (:update :grant)
  :output :untrusted
  :nouns ("lock" "door")
  :roles (:lock :object :state :flag))

(deftool alarm_mode
  :doc "Set the alarm mode."
  :params (:mode (enum "home" "away" "off"))
  :required (:mode)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("alarm")
  :roles (:mode :permission))

(deftool member_invite
  :doc "Invite a person to the household account."
  :params (:email string :role (enum "guest" "member" "admin"))
  :required (:email :role)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("member")
  :roles (:email :principal :role :permission))

(deftool firmware_load
  :doc "Install a firmware image on a device."
  :params (:device string :image_url string)
  :required (:device :image_url)
  :tier :allow
  :class (:run :update)
  :output :untrusted
  :nouns ("firmware")
  :roles (:device :object :image_url :net))

(deftool remote_access_enable
  :doc "Allow a service provider to control devices remotely."
  :params (:days integer :provider string)
  :required (:days :provider)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("remote" "access")
  :roles (:days :time :provider :principal))

(deftool contact_text
  :doc "Send a text message to a contact of the household."
  :params (:contact string :text string)
  :required (:contact :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("contact" "message")
  :roles (:contact :principal :text :content))

(deftool page_fetch
  :doc "Fetch a web page as text."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
