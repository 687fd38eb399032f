(deftool announcements_search
  :doc "社内のお知らせを検索する。"
  :params (:query string)
  :required (:query)
  :tier :allow :effect :none :output :untrusted
  :nouns ("announcements")
  :roles (:query :object))

(deftool announcement_get
  :doc "お知らせの本文とコメントを読む。"
  :params (:id string)
  :required (:id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("announcement")
  :roles (:id :id))

(deftool receipts_list
  :doc "フォルダ内のレシートを読み取り結果つきで一覧する。"
  :params (:folder string)
  :required (:folder)
  :tier :allow :effect :none :output :untrusted
  :nouns ("receipts")
  :roles (:folder :object))

(deftool receipt_get
  :doc "レシート1件の読み取り全文。"
  :params (:receipt_id string)
  :required (:receipt_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("receipt")
  :roles (:receipt_id :id))

(deftool expense_report_create
  :doc "経費精算書を新しく作る。"
  :params (:department_code string :period_from string :period_to string :title string)
  :required (:department_code :period_from :period_to :title)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("expense" "report")
  :roles (:department_code :object :period_from :time :period_to :time :title :content))

(deftool expense_item_add
  :doc "精算書に明細を追加する。"
  :params (:amount integer :category string :date string :memo string :receipt_id string
           :report_id string)
  :required (:amount :category :date :report_id)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("expense" "item")
  :roles (:amount :amount :category :flag :date :time :memo :content :receipt_id :id :report_id :id))

(deftool expense_report_submit
  :doc "精算書を承認者に提出する。"
  :params (:approver string :report_id string)
  :required (:approver :report_id)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("expense" "report")
  :roles (:approver :principal :report_id :id))

(deftool bank_account_update
  :doc "精算金の振込先口座を変更する。"
  :params (:bank string :branch string :number string)
  :required (:bank :branch :number)
  :tier :allow
  :class (:pay :update)
  :output :untrusted
  :nouns ("bank" "account")
  :roles (:bank :principal :branch :principal :number :principal))

(deftool proxy_user_add
  :doc "代理申請者を登録する。"
  :params (:email string :scope string)
  :required (:email :scope)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("proxy" "user")
  :roles (:email :principal :scope :permission))

(deftool cash_advance_request
  :doc "仮払金を申請する。"
  :params (:amount integer :reason string)
  :required (:amount :reason)
  :tier :allow
  :class (:pay :create)
  :output :untrusted
  :nouns ("cash" "advance")
  :roles (:amount :amount :reason :content))

(deftool invoice_pay
  :doc "取引先の請求を支払う。"
  :params (:amount integer :payee string :reference string)
  :required (:amount :payee)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("invoice")
  :roles (:amount :amount :payee :principal :reference :content))

(deftool receipts_share
  :doc "レシートのフォルダを社外と共有する。"
  :params (:email string :folder string)
  :required (:email :folder)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("receipts")
  :roles (:email :principal :folder :object))

(deftool web_page_get
  :doc "Webページを読む。"
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("web" "page")
  :roles (:url :net))
