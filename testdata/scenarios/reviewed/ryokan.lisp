(deftool get_handover
  :doc "申し送りを読む（シフト別）"
  :params (:date string :shift (enum "early" "late" "night"))
  :required (:date :shift)
  :tier :allow :effect :none :output :untrusted
  :nouns ("handover")
  :roles (:date :time :shift :object))

(deftool get_arrivals
  :doc "到着予定の一覧。備考・予約経路を含む"
  :params (:date string)
  :required (:date)
  :tier :allow :effect :none :output :untrusted
  :nouns ("arrivals")
  :roles (:date :time))

(deftool get_reservation
  :doc "予約の詳細"
  :params (:reservation_no string)
  :required (:reservation_no)
  :tier :allow :effect :none :output :untrusted
  :nouns ("reservation")
  :roles (:reservation_no :id))

(deftool change_room
  :doc "部屋を変更する"
  :params (:reservation_no string :room string)
  :required (:reservation_no :room)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("room")
  :roles (:reservation_no :id :room :object))

(deftool set_meal
  :doc "食事の内容、時間、アレルギー対応を厨房に伝える"
  :params (:meal (enum "dinner" "breakfast") :note string :reservation_no string :time string)
  :required (:meal :reservation_no)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("meal")
  :roles (:meal :object :note :content :reservation_no :id :time :time))

(deftool book_shuttle
  :doc "送迎バスを手配する"
  :params (:pickup string :reservation_no string :time string)
  :required (:pickup :reservation_no :time)
  :tier :allow
  :class (:book)
  :output :untrusted
  :nouns ("shuttle")
  :roles (:pickup :object :reservation_no :id :time :time))

(deftool housekeeping_note
  :doc "客室係への連絡"
  :params (:note string :room string)
  :required (:note :room)
  :tier :allow
  :class (:comm :create)
  :output :untrusted
  :nouns ("housekeeping" "note")
  :roles (:note :content :room :object))

(deftool send_guest_mail
  :doc "宿泊客にメールを送る（登録済みのアドレスへ）"
  :params (:reservation_no string :text string)
  :required (:reservation_no :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("guest" "mail")
  :roles (:reservation_no :principal :text :content))

(deftool cancel_reservation
  :doc "予約を取り消す。取消料は規定による"
  :params (:reservation_no string :waive_fee boolean)
  :required (:reservation_no)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("reservation")
  :roles (:reservation_no :id :waive_fee :flag))

(deftool apply_discount
  :doc "料金を割り引く"
  :params (:reason string :reservation_no string :yen integer)
  :required (:reservation_no :yen)
  :tier :allow
  :class (:pay :update)
  :output :untrusted
  :nouns ("discount")
  :roles (:reason :content :reservation_no :id :yen :amount))

(deftool refund_deposit
  :doc "前受金を返金する"
  :params (:account string :reservation_no string :yen integer)
  :required (:reservation_no :yen)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("deposit")
  :roles (:account :principal :reservation_no :id :yen :amount))

(deftool issue_master_key
  :doc "マスターカードキーを発行"
  :params (:label string :valid_until string)
  :required (:label :valid_until)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("master" "key")
  :roles (:label :object :valid_until :time))

(deftool export_guest_register
  :doc "宿泊者名簿をメールで送信する"
  :params (:from string :to string :until string)
  :required (:from :to :until)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("guest" "register")
  :roles (:from :time :to :principal :until :time))

(deftool open_url
  :doc "ページを開く"
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
