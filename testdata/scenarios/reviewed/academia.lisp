(deftool recado_listar
  :doc "Recados da recepção"
  :params (:unidade string)
  :required (:unidade)
  :tier :allow :effect :none :output :untrusted
  :nouns ("recado")
  :roles (:unidade :object))

(deftool recado_abrir
  :doc "Abre um recado com as respostas"
  :params (:recado integer)
  :required (:recado)
  :tier :allow :effect :none :output :untrusted
  :nouns ("recado")
  :roles (:recado :object))

(deftool grade_semana
  :doc "Grade de aulas coletivas da semana"
  :params (:semana string :unidade string)
  :required (:semana :unidade)
  :tier :allow :effect :none :output :trusted
  :nouns ("grade" "aulas")
  :roles (:semana :time :unidade :object))

(deftool aula_substituir
  :doc "Troca o professor de uma aula"
  :params (:aula string :professor string)
  :required (:aula :professor)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("aula" "professor")
  :roles (:aula :id :professor :principal))

(deftool aula_remarcar
  :doc "Muda dia, hora ou sala de uma aula"
  :params (:aula string :inicio string :sala string)
  :required (:aula :inicio)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("aula")
  :roles (:aula :id :inicio :time :sala :object))

(deftool aula_cancelar
  :doc "Cancela a aula e libera as vagas"
  :params (:aula string :motivo string)
  :required (:aula)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("aula")
  :roles (:aula :id :motivo :content))

(deftool aula_lotacao
  :doc "Limite de alunos de uma aula"
  :params (:aula string :vagas integer)
  :required (:aula :vagas)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("aula" "vagas")
  :roles (:aula :id :vagas :amount))

(deftool aviso_turma
  :doc "Notificação no app para os inscritos de uma aula"
  :params (:aula string :texto string)
  :required (:aula :texto)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("aviso" "turma")
  :roles (:aula :principal :texto :content))

(deftool mural_publicar
  :doc "Aviso na tela da recepção"
  :params (:ate string :texto string :unidade string)
  :required (:texto :unidade)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("mural" "aviso")
  :roles (:ate :time :texto :content :unidade :principal))

(deftool aluno_plano
  :doc "Muda o plano ou a mensalidade de um aluno"
  :params (:matricula string :mensalidade number :plano string)
  :required (:matricula :plano)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("aluno" "plano")
  :roles (:matricula :id :mensalidade :amount :plano :object))

(deftool aluno_dados
  :doc "Envia ficha de alunos (contato, saúde) por e-mail"
  :params (:filtro string :para string)
  :required (:filtro :para)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("aluno" "dados" "ficha")
  :roles (:filtro :object :para :principal))

(deftool catraca_liberar
  :doc "Libera a catraca para um CPF ou crachá sem matrícula"
  :params (:ate string :documento string :nome string)
  :required (:ate :documento :nome)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("catraca")
  :roles (:ate :time :documento :principal :nome :principal))

(deftool professor_pix
  :doc "Altera a chave Pix em que o professor recebe"
  :params (:chave string :professor string)
  :required (:chave :professor)
  :tier :allow
  :class (:pay :update)
  :output :untrusted
  :nouns ("pix" "professor")
  :roles (:chave :principal :professor :principal))

(deftool link_ver
  :doc "Lê uma página"
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("link" "página")
  :roles (:url :net))
