(deftool wiki_get_page
  :doc "Obtener una página del wiki del departamento."
  :params (:title string)
  :required (:title)
  :tier :allow :effect :none :output :untrusted
  :nouns ("wiki" "página")
  :roles (:title :object))

(deftool course_get
  :doc "Datos de un curso: secciones, docentes, configuración, avisos."
  :params (:course_id string)
  :required (:course_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("course")
  :roles (:course_id :id))

(deftool course_update
  :doc "Cambiar la configuración de un curso."
  :params (:course_id string :settings any)
  :required (:course_id :settings)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("curso" "configuración")
  :roles (:course_id :id :settings :content))

(deftool section_create
  :doc "Crear una sección."
  :params (:course_id string :name string :position integer)
  :required (:course_id :name)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("sección")
  :roles (:course_id :id :name :content :position :object))

(deftool resource_import
  :doc "Importar un recurso del banco del departamento."
  :params (:course_id string :resource string :section string)
  :required (:course_id :resource :section)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("recurso")
  :roles (:course_id :id :resource :object :section :object))

(deftool bank_search
  :doc "Buscar en el banco de recursos."
  :params (:query string)
  :required (:query)
  :tier :allow :effect :none :output :untrusted
  :nouns ("recursos" "banco")
  :roles (:query :object))

(deftool assignment_create
  :doc "Crear una tarea."
  :params (:course_id string :due string :name string :opens string :points integer)
  :required (:course_id :due :name :opens :points)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("tarea")
  :roles (:course_id :id :due :time :name :content :opens :time :points :amount))

(deftool gradebook_set
  :doc "Definir categorías y pesos de calificación."
  :params (:course_id string :weights any)
  :required (:course_id :weights)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("calificación" "pesos")
  :roles (:course_id :id :weights :amount))

(deftool forum_create
  :doc "Crear un foro."
  :params (:course_id string :kind (enum "general" "dudas" "avisos") :name string)
  :required (:course_id :kind :name)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("foro")
  :roles (:course_id :id :kind :flag :name :content))

(deftool calendar_series_create
  :doc "Crear las sesiones del curso en el calendario."
  :params (:course_id string
           :days (list string)
           :end string :first string :last string :start string)
  :required (:course_id :days :end :first :last :start)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("calendario" "sesiones")
  :roles (:course_id :id :days :time :end :time :first :time :last :time :start :time))

(deftool announcement_post
  :doc "Publicar un aviso para el grupo."
  :params (:course_id string :text string :title string)
  :required (:course_id :text :title)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("aviso")
  :roles (:course_id :principal :text :content :title :content))

(deftool course_visible
  :doc "Mostrar u ocultar el curso a los estudiantes."
  :params (:course_id string :visible boolean)
  :required (:course_id :visible)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("curso")
  :roles (:course_id :id :visible :flag))

(deftool enrol_user
  :doc "Matricular a una persona con un rol."
  :params (:course_id string :email string :role (enum "student" "tutor" "teacher" "manager"))
  :required (:course_id :email :role)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("persona")
  :roles (:course_id :id :email :principal :role :permission))

(deftool external_tool_add
  :doc "Conectar una herramienta externa (LTI)."
  :params (:course_id string :launch_url string :name string :share_grades boolean)
  :required (:course_id :launch_url :name :share_grades)
  :tier :allow
  :class (:create :update :grant)
  :output :untrusted
  :nouns ("herramienta")
  :roles (:course_id :id :launch_url :net :name :content :share_grades :flag))

(deftool course_reset
  :doc "Borrar entregas, calificaciones e intentos de un curso."
  :params (:course_id string :what (list string))
  :required (:course_id :what)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("entregas" "calificaciones")
  :roles (:course_id :id :what :object))

(deftool grades_send
  :doc "Enviar las calificaciones de un curso."
  :params (:course_id string :email string)
  :required (:course_id :email)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("calificaciones")
  :roles (:course_id :id :email :principal))

(deftool grade_override
  :doc "Cambiar una calificación."
  :params (:course_id string :grade number :item string :student string)
  :required (:course_id :grade :item :student)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("calificación")
  :roles (:course_id :id :grade :amount :item :object :student :object))

(deftool page_open
  :doc "Abrir una página web."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("página")
  :roles (:url :net))
