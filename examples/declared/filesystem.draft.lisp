; guessed: a read, from the verb "read"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: :path is a path, from its name
(deftool read_file
  :doc "Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead."
  :params (:head number :path path :tail number)
  :required (:path)
  :tier :allow :effect :none
  :output (:content :untrusted)
  :nouns ("file")
  :roles (:head :object :path :object :tail :object))

; guessed: a read, from the verb "read"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: :path is a path, from its name
(deftool read_text_file
  :doc "Read the complete contents of a file from the file system as text. Handles various text encodings and provides detailed error messages if the file cannot be read. Use this tool when you need to examine the contents of a single file. Use the 'head' parameter to read only the first N lines of a file, or the 'tail' parameter to read only the last N lines of a file. Operates on the file as text regardless of extension. Only works within allowed directories."
  :params (:head number :path path :tail number)
  :required (:path)
  :tier :allow :effect :none
  :output (:content :untrusted)
  :nouns ("text" "file")
  :roles (:head :object :path :object :tail :object))

; guessed: a read, from the verb "read"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: :path is a path, from its name
(deftool read_media_file
  :doc "Read a file and return it as a base64-encoded content block with its MIME type. Image and audio files are returned as image/audio content; any other file type is returned as an embedded resource. Only works within allowed directories."
  :params (:path path)
  :required (:path)
  :tier :allow :effect :none
  :output (:content :untrusted)
  :nouns ("media" "file")
  :roles (:path :object))

; guessed: a read, from the verb "read"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: :paths is a path, from its name
; left to the server: :paths minItems
(deftool read_multiple_files
  :doc "Read the contents of multiple files simultaneously. This is more efficient than reading files one by one when you need to analyze or compare multiple files. Each file's content is returned with its path as a reference. Failed reads for individual files won't stop the entire operation. Only works within allowed directories."
  :params (:paths (list path))
  :required (:paths)
  :tier :allow :effect :none
  :output (:content :untrusted)
  :nouns ("files")
  :roles (:paths :object))

; guessed: an effect, from the verb "write"
; guessed: class delete too: the server says that it may destroy
; guessed: not idempotent, though the server says that it is: recovery would repeat a call on its word
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
; guessed: :path is a path, from its name
(deftool write_file
  :doc "Create a new file or completely overwrite an existing file with new content. Use with caution as it will overwrite existing files without warning. Handles text content with proper encoding. Only works within allowed directories."
  :params (:content string :path path)
  :required (:content :path)
  :tier :allow
  :class (:create :delete)
  :output (:content :untrusted)
  :nouns ("file")
  :roles (:content :content :path :object))

; guessed: an effect, from the verb "edit"
; guessed: class delete too: the server says that it may destroy
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :edits are strong: what they steer is not known
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
; guessed: :path is a path, from its name
(deftool edit_file
  :doc "Make line-based edits to a text file. Each edit replaces exact line sequences with new content. Returns a git-style diff showing the changes made. Only works within allowed directories."
  :params (:|dryRun| boolean
           :edits (list (object (:|newText| string :|oldText| string)
                                :required (:|newText| :|oldText|)))
           :path path)
  :required (:edits :path)
  :tier :allow
  :class (:update :delete)
  :output (:content :untrusted)
  :nouns ("file")
  :roles (:|dryRun| :flag :path :object))

; guessed: an effect, from the verb "create"
; guessed: not idempotent, though the server says that it is: recovery would repeat a call on its word
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
; guessed: :path is a path, from its name
(deftool create_directory
  :doc "Create a new directory or ensure a directory exists. Can create multiple nested directories in one operation. If the directory already exists, this operation will succeed silently. Perfect for setting up directory structures for projects or ensuring required paths exist. Only works within allowed directories."
  :params (:path path)
  :required (:path)
  :tier :allow
  :class (:create)
  :output (:content :untrusted)
  :nouns ("directory")
  :roles (:path :object))

; guessed: a read, from the verb "list"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: :path is a path, from its name
(deftool list_directory
  :doc "Get a detailed listing of all files and directories in a specified path. Results clearly distinguish between files and directories with [FILE] and [DIR] prefixes. This tool is essential for understanding directory structure and finding specific files within a directory. Only works within allowed directories."
  :params (:path path)
  :required (:path)
  :tier :allow :effect :none
  :output (:content :untrusted)
  :nouns ("directory")
  :roles (:path :object))

; guessed: a read, from the verb "list"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: :path is a path, from its name
(deftool list_directory_with_sizes
  :doc "Get a detailed listing of all files and directories in a specified path, including sizes. Results clearly distinguish between files and directories with [FILE] and [DIR] prefixes. This tool is useful for understanding directory structure and finding specific files within a directory. Only works within allowed directories."
  :params (:path path :|sortBy| (enum "name" "size"))
  :required (:path)
  :tier :allow :effect :none
  :output (:content :untrusted)
  :nouns ("directory" "sizes")
  :roles (:path :object :|sortBy| :object))

; guessed: a read, from the description
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: :path is a path, from its name
(deftool directory_tree
  :doc "Get a recursive tree view of files and directories as a JSON structure. Each entry includes 'name', 'type' (file/directory), and 'children' for directories. Files have no children array, while directories always have a children array (which may be empty). The output is formatted with 2-space indentation for readability. Only works within allowed directories."
  :params (:|excludePatterns| (list string) :path path)
  :required (:path)
  :tier :allow :effect :none
  :output (:content :untrusted)
  :nouns ("directory" "tree")
  :roles (:|excludePatterns| :object :path :object))

; guessed: an effect, from the verb "move"
; guessed: class delete too: the server says that it may destroy
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
; guessed: :destination is a path, from its name
; guessed: :source is a path, from its name
(deftool move_file
  :doc "Move or rename files and directories. Can move files between directories and rename them in a single operation. If the destination exists, the operation will fail. Works across different directories and can be used for simple renaming within the same directory. Both source and destination must be within allowed directories."
  :params (:destination path :source path)
  :required (:destination :source)
  :tier :allow
  :class (:update :delete)
  :output (:content :untrusted)
  :nouns ("file")
  :roles (:destination :object :source :object))

; guessed: a read, from the verb "search"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: :path is a path, from its name
(deftool search_files
  :doc "Recursively search for files and directories matching a pattern. The patterns should be glob-style patterns that match paths relative to the working directory. Use pattern like '*.ext' to match files in current directory, and '**/*.ext' to match files in all subdirectories. Returns full paths to all matching items. Great for finding files when you don't know their exact location. Only searches within allowed directories."
  :params (:|excludePatterns| (list string) :path path :pattern string)
  :required (:path :pattern)
  :tier :allow :effect :none
  :output (:content :untrusted)
  :nouns ("files")
  :roles (:|excludePatterns| :object :path :object :pattern :object))

; guessed: a read, from the verb "get"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: :path is a path, from its name
(deftool get_file_info
  :doc "Retrieve detailed metadata about a file or directory. Returns comprehensive information including size, creation time, last modified time, permissions, and type. This tool is perfect for understanding file characteristics without reading the actual content. Only works within allowed directories."
  :params (:path path)
  :required (:path)
  :tier :allow :effect :none
  :output (:content :untrusted)
  :nouns ("file" "info")
  :roles (:path :object))

; guessed: a read, from the verb "list"
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
(deftool list_allowed_directories
  :doc "Returns the list of directories that this server is allowed to access. Subdirectories within these allowed directories are also accessible. Use this to understand which directories and their nested paths are available before trying to access files."
  :tier :allow :effect :none
  :output (:content :untrusted)
  :nouns ("allowed" "directories"))
