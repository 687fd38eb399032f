(deftool escaletas.listar
  :doc "Escaletas de un programa"
  :params (:programa string)
  :required (:programa)
  :tier :allow :effect :none :output :untrusted
  :nouns ("escaletas")
  :roles (:programa :object))

(deftool escaletas.leer
  :doc "Texto de una escaleta, con comentarios del equipo"
  :params (:id string)
  :required (:id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("escaletas")
  :roles (:id :id))

(deftool audioteca.buscar
  :doc "Busca audios por título o autor"
  :params (:texto string)
  :required (:texto)
  :tier :allow :effect :none :output :untrusted
  :nouns ("audios")
  :roles (:texto :object))

(deftool audioteca.borrar
  :doc "Borra un audio y sus copias"
  :params (:audio string)
  :required (:audio)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("audio")
  :roles (:audio :id))

(deftool emision.colocar
  :doc "Coloca un audio en un bloque de la emisión"
  :params (:audio string :bloque integer :emision string :segundos integer)
  :required (:audio :bloque :emision)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("audio" "bloque")
  :roles (:audio :object :bloque :object :emision :object :segundos :amount))

(deftool emision.rotulo
  :doc "Texto que lee el locutor en un bloque"
  :params (:bloque integer :emision string :texto string)
  :required (:bloque :emision :texto)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("texto" "rotulo" "bloque")
  :roles (:bloque :object :emision :object :texto :content))

(deftool emision.bloques
  :doc "Bloques de una emisión con lo que llevan"
  :params (:emision string)
  :required (:emision)
  :tier :allow :effect :none :output :untrusted
  :nouns ("emision" "bloques")
  :roles (:emision :object))

(deftool emision.interrumpir
  :doc "Corta la emisión en directo y pone otra señal"
  :params (:fuente string :minutos integer)
  :required (:fuente :minutos)
  :tier :allow
  :class (:run)
  :output :untrusted
  :nouns ("emisión" "señal")
  :roles (:fuente :net :minutos :amount))

(deftool invitados.llamada
  :doc "Reserva una línea para un invitado"
  :params (:emision string :hora string :nombre string :telefono string)
  :required (:emision :hora :nombre)
  :tier :allow
  :class (:book)
  :output :untrusted
  :nouns ("llamada" "línea" "invitado")
  :roles (:emision :object :hora :time :nombre :principal :telefono :principal))

(deftool redes.programar
  :doc "Programa una publicación en las cuentas de la emisora"
  :params (:cuando string :enlace string :texto string)
  :required (:cuando :texto)
  :tier :allow
  :class (:comm :create)
  :output :untrusted
  :nouns ("publicación" "redes")
  :roles (:cuando :time :enlace :net :texto :content))

(deftool patrocinio.cobro
  :doc "Cambia la cuenta en la que pagan los patrocinadores"
  :params (:iban string :titular string)
  :required (:iban :titular)
  :tier :allow
  :class (:pay :update)
  :output :untrusted
  :nouns ("cuenta" "patrocinio")
  :roles (:iban :principal :titular :principal))

(deftool socios.enviar
  :doc "Envía el fichero de socios de la radio"
  :params (:a string :campos (list string))
  :required (:a)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("socios" "fichero")
  :roles (:a :principal :campos :object))

(deftool senal.clave
  :doc "Da la clave de la señal para retransmitir"
  :params (:a string)
  :required (:a)
  :tier :allow
  :class (:comm :grant)
  :output :untrusted
  :nouns ("señal" "clave")
  :roles (:a :principal))

(deftool web.abrir
  :doc "Abre una página"
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("web")
  :roles (:url :net))
