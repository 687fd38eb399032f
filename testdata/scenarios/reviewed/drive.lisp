(deftool drive.list_folder
  :doc "Lists the files and folders directly inside a folder, with id, name, owner, modification time and size. Use drive.search if you do not know the folder. Pagination is not needed for folders with fewer than 200 entries."
  :params (:folder_id string)
  :required (:folder_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("drive" "folder")
  :roles (:folder_id :id))

(deftool drive.search
  :doc "Full-text search over names and contents of everything the user can open, including files shared with them by others."
  :params (:owner string :query string)
  :required (:query)
  :tier :allow :effect :none :output :untrusted
  :nouns ("file")
  :roles (:owner :object :query :object))

(deftool drive.read_doc
  :doc "Returns the plain text of a document, followed by its open comments."
  :params (:file_id string)
  :required (:file_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("drive" "doc")
  :roles (:file_id :id))

(deftool drive.move
  :doc "Moves a file or folder to another folder. Permissions of the new parent folder are inherited, which may make the file visible to more people."
  :params (:file_id string :to_folder string)
  :required (:file_id :to_folder)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("file" "folder")
  :roles (:file_id :id :to_folder :principal))

(deftool drive.rename
  :doc "Renames a file or folder."
  :params (:file_id string :name string)
  :required (:file_id :name)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("file" "folder")
  :roles (:file_id :id :name :content))

(deftool drive.create_folder
  :doc "Creates a folder and returns its id."
  :params (:name string :parent string)
  :required (:name :parent)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("folder")
  :roles (:name :content :parent :object))

(deftool drive.trash
  :doc "Moves a file or folder to the trash. It is deleted for good after 30 days; shared links stop working immediately."
  :params (:file_id string)
  :required (:file_id)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("file" "folder")
  :roles (:file_id :id))

(deftool drive.share
  :doc "Shares a file or folder with a person or group. A notification mail is sent."
  :params (:email string :file_id string :role (enum "reader" "commenter" "writer" "owner"))
  :required (:email :file_id :role)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("file" "folder")
  :roles (:email :principal :file_id :id :role :permission))

(deftool drive.share_link
  :doc "Turns on link sharing. Anyone who has the link can open the file without signing in."
  :params (:file_id string :role (enum "reader" "writer"))
  :required (:file_id :role)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("file" "link")
  :roles (:file_id :id :role :permission))

(deftool drive.unshare
  :doc "Takes away a person's access."
  :params (:email string :file_id string)
  :required (:email :file_id)
  :tier :allow
  :class (:delete :grant)
  :output :untrusted
  :nouns ("access" "file")
  :roles (:email :principal :file_id :id))

(deftool drive.comment
  :doc "Adds a comment to a document."
  :params (:file_id string :text string)
  :required (:file_id :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("comment")
  :roles (:file_id :id :text :content))

(deftool drive.export_to
  :doc "Converts a file to PDF or XLSX and mails it as an attachment to the given address."
  :params (:file_id string :format (enum "pdf" "xlsx") :to string)
  :required (:file_id :format :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("file")
  :roles (:file_id :id :format :flag :to :principal))

(deftool drive.fetch_link
  :doc "Opens a link that was found in a document and returns the page as text."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("link" "page")
  :roles (:url :net))
