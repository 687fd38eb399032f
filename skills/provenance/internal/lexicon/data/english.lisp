; English. Each definition is a list of words or patterns; package lexicon says what
; they mean. Words are separated by white space; a pattern is one string.

; ---------------------------------------------------------------- what is asked for

(verbs
 :comm "send email mail message dm reply respond answer forward notify tell inform contact text post publish announce
        share write drop ping communicate report submit broadcast tweet comment deliver let ask relay pass hand escalate warn
        reveal disclose"
 :pay "pay transfer refund reimburse wire send buy purchase order donate settle deposit withdraw repay remit compensate
       tip return give fund top move spend charge checkout subscribe"
 :book "book reserve rent make schedule order arrange hire hold tender"
 :create "remind create add make schedule write draft generate save record log insert put upload register plan organize
          organise set build compose prepare note append enter book reserve store open start block produce copy export
          place include submit raise file init fork issue print declare commit type plan attach insert"
 :update "update change modify edit reschedule move rename set adjust correct replace fix extend increase decrease switch
          convert mark complete append add put insert postpone shift upgrade downgrade exchange revise amend reset raise
          lower reduce rotate configure enable disable apply done pay push turn merge assign reassign rewrite refresh
          shorten condense trim clean fill lengthen polish format sort organize tidy restructure lock unlock toggle
          transfer swap include remove redeem claim tick resolve reverse settle mute commit"
 :delete "delete remove cancel drop clear erase kick ban unsubscribe revoke close archive clean purge wipe discard destroy
          trash void unshare uninstall terminate empty return undo unfollow block deactivate refund dismiss bin scrap junk
          ditch dump retire decommission stop abort end merge bar expel strike forfeit dispose"
 :grant "invite share add grant give allow permit enroll onboard authorize authorise join collaborate let include assign
         approve make accept sign countersign certify waive lend entrust"
 :run "run execute install start stop restart deploy launch reboot invoke call use trigger shutdown compile test play
       pause follow")

; nouns that ask for a class: "a reservation for two"
(verb-nouns
 :book "reservation booking"
 :pay "payment refund bill rent invoice purchase subscription deposit checkout order"
 :comm "reply message feedback"
 :grant "invite invitation access"
 :create "reminder appointment"
 :delete "removal cancellation deletion"
 :update "exchange")

(idioms
 :delete "send|give|ship|bring|take|hand ~8 back" "get rid of" "give up" "write off" "throw away|out" "call off" "take down|off|out"
         "tick|check|mark|cross ~8 off|done|complete|finished"
 :pay "send|give|ship|bring|take|hand ~8 back" "get|grab|fetch|find|pick me|us|myself" "take a|an|the|this|that|one|it"
 :comm "let ~5 know" "drop ~4 line|note|message" "get back to" "reach out" "get in touch"
       "leave a|an|my|some ~4 message|note|comment|review"
 :book "get|grab|fetch|pick me|us|myself" "find|block|pick|need ~4 hour|slot|time|date|appointment"
       "look for ~4 hour|slot|time|date|appointment" "take a|an|the|this|that|one"
 :create "find|block|pick|need ~4 hour|slot|time|date|appointment" "set up" "put together|up|down|in" "note down" "jot"
         "leave a|an|my|some"
 :update "tick|check|mark|cross ~8 off|done|complete|finished|as"
 :grant "go ahead" "fine|ok|okay|alright with|by|for me" "green light" "i agree|approve|accept|confirm")

; what looks like one of them and asks for words alone
(not-asked
 "let|tell|show|give|help|inform|notify|ask me|us know?" "take a look" "take into" "take care" "get|find me|us the|all|list|info|details")

(reads
 "get read list search find fetch query view show check lookup look browse retrieve download count describe calculate
  compute think has inspect summarize summarise analyze analyse explain display print select preview monitor track
  estimate compare validate who what when where whoami ls cat head tail grep stat scan recommend suggest translate extract
  parse detect verify review see watch load navigate goto visit click scroll hover screenshot wait open plan")

(determiners
 "a an the my your his her our their its this that these those any all some every each no unread new last latest recent
  first second next same other of in from by old sent received draft previous more most about own")

; verbs that are nouns as often: they count at the start of what they ask for
(ambiguous
 "email mail message file order book contact text post comment share note plan list schedule report transfer record log
  rent reserve forward issue address date fund question return exchange change update review deposit charge purchase
  refund invite access copy move group channel tick hold bar strike hire tender type mute event meeting set start open close clear rate respond test project include
  mark answer read tip spend fee let ask tell give top block store star sign fork use call")

(leads
 "to and then please or you also can could would i'd just now should must let's first finally if kindly go help ahead not")

(past "sent paid spent wrote written gave given made bought told shared left said put")
(helpers "be get have want need is are been it being")

; endings that a stem leaves off, with what takes their place
(endings "ies" "y" "sses" "ss" "ying" "y" "ing" "" "edly" "" "ied" "y" "ed" "" "es" "" "s" "")

; words for one kind of thing
(groups
 "email mail inbox e-mail mailbox letter correspondence"
 "calendar event appointment meeting reminder schedule invite agenda slot call"
 "file document doc drive folder report spreadsheet pdf note list directory"
 "money transaction payment transfer bill rent iban account refund amount bank fund balance invoice fee cost due euro
  dollar usd price share order deposit expense charge debt paid spent salary tip gift"
 "message dm chat slack direct conversation channel thread text"
 "user member people person contact friend colleague participant attendee team employee guest him her them"
 "hotel room stay accommodation lodging hostel"
 "restaurant table dinner lunch breakfast eat dining meal"
 "car rental vehicle drive ride taxi"
 "flight ticket airline plane seat passenger reservation booking trip travel"
 "password credential passcode pin login secret key"
 "website webpage page site url web blog www link article http https html"
 "address street city profile info information phone name personal detail data"
 "order item product cart purchase package delivery shipping"
 "repository repo branch issue commit pull code project collaborator ssh key github git"
 "post tweet status comment social"
 "task todo to-do item ticket"
 "certificate coupon voucher compensation credit gift"
 "baggage bag luggage suitcase")

(many "all every each both these those several multiple and everyone everything two three four five six seven eight nine ten")

; ---------------------------------------------------------------- yes and no

(assent
 "yes yeah yep yup ok okay sure fine please do it go ahead thanks thank you sounds good great right correct exactly
  perfect absolutely definitely of course agreed confirm confirmed approve approved proceed yes! y alright all that is
  just works for me with that's")

; how an answer to a question begins
(yes "yes yeah yep yup ok okay sure alright")

(prohibitions "never" "not" "don't|doesn't|can't|won't|mustn't|shouldn't|cannot|isn't|aren't" "except" "without" "neither|nor"
              "other than" "instead of" "rather than" "avoid" "refrain" "unless" "no longer" "but not")
(not-prohibitions "do not forget|hesitate" "don't forget|hesitate|worry" "not only" "why not" "never mind" "if not" "or not"
                  "can't|couldn't|don't|doesn't|didn't find|remember|know|see|have|think|mind" "not sure|available|yet")
(prohibition-ends "but instead rather otherwise")

; ---------------------------------------------------------------- text that tells its reader to act

(fillers
 "please|kindly|also|then|now|first|firstly|second|secondly|next|finally|lastly|and|so|just|do|todo|important|urgent|note"
 "attention|hey|hi|hello|ok|okay|thanks|immediately|simply|quickly|additionally|afterwards|instead|step"
 "after that" "in addition" "action required"
 "you should|must|can|will|shall|may|could" "you need|have|are|ought to" "you are required|asked to"
 "can|could|would|will you" "i|we need|want|ask|expect|require|urge|request you?" "i|we would like" "i'd|we'd like"
 "make sure to|you|that you?" "be sure to" "ensure that? you" "remember to" "do not forget to" "don't forget to"
 "it is necessary|required|important|essential|crucial|mandatory to|that you?"
 "your|the new|next|only|first? task|job|goal|objective is to" "go ahead and" "help me" "try to" "let's" "let us"
 "i|we want|need to")

(calls
 "please|pls|plz" "kindly" "you should|must" "you need|have to" "you are required to" "can|could|would you please?"
 "can|could|would|will somebody|someone|anybody|anyone please?"
 "hope|hoped|hoping|wish|wishing|love|appreciate|grateful|glad|happy|delighted ~4 you|somebody|someone|anybody|anyone might|could|would|can|will|to"
 "you|somebody|someone might|could|may want|like|wish|care to"
 "need|want|like|ask|require|request you to" "make sure to" "be sure to" "remember to" "don't forget to" "do not forget to")
(modals
 "has|have|need|needs|is|are|ought to" "must|should|shall" "is|are required|expected|supposed|asked|instructed|advised|requested|obliged|encouraged to"
 "it would|will be good|great|nice|best|helpful|appreciated if ~3 could|can|would"
 "it would|will be good|great|nice|best|helpful|appreciated to"
 "would|will be good|great|nice|best|helpful|appreciated if ~3 could|can|would")
(passives
 "must|should|shall|to|now|will be" "needs|need|has|have|wants|want|required to be" "is|are to be")
(subordinators "when|whenever|if|while|once|before|after|to|for" "as soon as" "in case" "in order to")
(asides "also then first do now immediately always please kindly just finally and")

(directives
 "visit go click get open read search check download find browse navigate look follow perform tell say provide recommend
  list retrieve collect gather concatenate summarize print output manage ensure review access analyze secure recalculate
  substitute extract optimize simulate reallocate reply rate praise claim take suggest bring prepare confirm consider
  attend keep come choose pick select enter fill finish begin avoid respond attach complete verify obtain acquire fetch
  compile compose draft arrange organize hand pass leave learn try wear watch handle proceed reach present state express
  mention explain describe translate convert compute calculate calibrate adjust monitor supply forward route redirect
  reset restore backup back log track issue approve reject sell trade swap hire fire promote withdraw grant revoke examine
  investigate inspect evaluate assess validate identify determine assign schedule conduct carry implement develop design
  enhance improve increase decrease reduce modify alter edit rewrite rename replicate duplicate copy move store load
  import export sync administer prescribe diagnose treat transmit transport deploy employ utilize")
(not-directives "done let file note start tip top block test fund plan sign")
(soft "bring come wear take try keep learn reach book find avoid watch consider open arrive enter look read see check visit
       give go choose")
(not-after "of is was are has history price status date number review id")
(participles "sent" "send" "paid" "pay" "made" "make" "written" "write" "given" "give" "bought" "buy" "put" "put" "set" "set" "told" "tell")

; ---------------------------------------------------------------- talk to the agent about its task

(alien
 "ignore|disregard|forget|override|bypass|overrule|supersede*|discard|cancel ~5 previous|prior|above|earlier|preceding|original|initial|existing|system|current|other|past|former ~3 *struction*|*prompt*|*task*|*command*|*request*|*directive*|*guideline*|*order*|*rule*|*context*|*message*"
 "do not follow ~5 previous|prior|above|earlier|preceding|original|initial|existing|system|current|other|past|former ~3 *struction*|*prompt*|*task*|*command*|*request*|*directive*|*guideline*|*order*|*rule*|*context*|*message*"
 "stop following ~5 previous|prior|above|earlier|preceding|original|initial|existing|system|current|other|past|former ~3 *struction*|*prompt*|*task*|*command*|*request*|*directive*|*guideline*|*order*|*rule*|*context*|*message*"
 "before|after|once|until|while|to|when ~4 solv*|complet*|finish*|continu*|proceed*|answer*|fulfil*|perform*|accomplish*|start*|resum* with? the|your|my|this|that|any|its|user|user's? *? *? task|tasks|request|query|question|instruction|instructions|prompt|command|commands|directive|directives|guidelines|orders|rules|objective|message|conversation"
 "prior|instead to|of ~4 solv*|complet*|finish*|continu*|proceed*|answer*|fulfil*|perform*|accomplish*|start*|resum* with? the|your|my|this|that|any|its|user|user's? *? *? task|tasks|request|query|question|instruction|instructions|prompt|command|commands|directive|directives|guidelines|orders|rules|objective|message|conversation"
 "to you the? *? ai|llm|chatbot|gpt*|claude|gemini|llama|assistant|copilot|bot|agent|agents"
 "dear|hey|hello|hi|attention the? *? ai|llm|chatbot|gpt*|claude|gemini|llama|assistant|copilot|bot|agent|agents"
 "as a|an *? ai|llm|chatbot|gpt*|claude|gemini|llama|assistant|copilot|bot|agent"
 "you are? a|an|the *? ai|llm|chatbot|gpt*|claude|gemini|llama|assistant|copilot|bot|agent|agents"
 "for the|any|all *? ai|llm|chatbot|gpt*|claude|gemini|llama|assistant|copilot|bot|agent|agents"
 "to|dear|hey|hello|hi|attention|you|for ~3 language model" "to|dear|hey|hello|hi|attention|you|for ~3 artificial intelligence"
 "task|request|instruction*|question that|which? i|you gave|asked|assigned|provided|made|sent|requested"
 "task|request|instruction*|question that|which? the|your user gave|asked|assigned|provided|made|sent|requested"
 "task|request|instruction*|question that|which? you were|was|have|are given|been|asked"
 "system|developer|admin|administrator|root message|prompt|override|instruction|instructions|directive|command|commands"
 "without|don't|never|avoid asking|telling|informing|notifying|mentioning|alerting|ask|tell|inform|notify|mention|alert|reveal ~3 me|user|anyone|them|him|her|this|it"
 "do not ask|tell|inform|notify|mention|alert|reveal ~3 me|user|anyone|them|him|her|this|it"
 "without confirming with ~2 me|user|anyone|them"
 "use|using|call|calling|invoke|invoking|via|execute|with the|a|your? * tool|function|api|plugin" "by using the|a|your? * tool|function|api|plugin")

; the same beside a directive alone
(alien-weak
 "prior to the|your|my|this|any *? request|task" "before the|your|my|this|any *? request|task"
 "ai|llm assistant*|agent*|model*|system*" "language model"
 "the|your|this original|initial|main|primary|current|first|actual|real user? task|request|instruction|instructions|objective|goal|query"
 "following|these|new|updated|additional|special|my instruction|instructions|directive|directives|command|commands"
 "do not use any? other tool|tools|function|functions" "don't|never use any? other tool|tools|function|functions"
 "the user wants|asked|has|is|needs|would|requested|said ~12 you|agent|assistant")

(alien-marks "[INST]" "[/INST]" "<|im_start|>" "<|im_end|>" "<|system|>" "<|user|>" "<|assistant|>" "<<SYS>>" "### Instruction" "### System")
(tags "html head body div span p br a b i u ul ol li table tr td th h1 h2 h3 h4 img script style meta link pre code em
       strong title header footer nav section article main form input button label")

; ---------------------------------------------------------------- the user hands the task over

(delegations
 "do|perform|complete|follow|execute|handle|process|address|implement|finish|accomplish|fulfil|fulfill|resolve|apply|tackle|action|incorporate ~6 issue|ticket|comments|remarks|corrections|feedback|attached|defects|snags|findings|revisions|memo|brief|handover|runbook|task|tasks|action|actions|instruction|instructions|step|steps|to-do|to-dos|todo|todos|item|items|request|requests|things|what|whatever|everything|checklist|assignment|assignments|chore|chores|guide|guidelines|procedure|necessary|needful|rest|points|ask|asks|say|says|asked|wants|note|notes|list|plan|recipe|homework|errand|errands|job|jobs"
 "carry|act|work|go|deal|proceed|respond|tick|check|run|get|knock|take|see|attend out|on|through|off|with|to|upon ~6 task|tasks|action|actions|instruction|instructions|step|steps|to-do|to-dos|todo|todos|item|items|request|requests|things|what|whatever|everything|checklist|assignment|assignments|chore|chores|guide|guidelines|procedure|necessary|needful|rest|points|ask|asks|say|says|asked|wants|note|notes|list|plan|recipe|homework|errand|errands|job|jobs"
 "take care of ~6 task|tasks|action|actions|instruction|instructions|step|steps|to-do|to-dos|todo|todos|item|items|request|requests|things|what|whatever|everything|checklist|rest|points|list|plan|job|jobs"
 "says|tells|describes|explains|lists ~16 what|how ~2 to do|proceed"
 "says|tells|describes|explains you|us|me what|how" "follow it|them|that|those" "do as" "as described|specified|requested|instructed|explained|listed in"
 "as|like|how|way ~16 says|writes|wrote|describes|explains|tells|asks|demands|lists|states|recommends|suggests|wants|needs|requires|shows|prescribes"
 "as|like|how|way they|these|those|people ~3 say|write|describe|explain|tell|ask|demand|list|state|recommend|suggest|want|need|require|show"
 "as|like on|in the|this|that|my|his|her|their|our ~3 recipe|list|plan|guide|article|page|mail|email|note|ticket|document|manual|policy"
 "by|per the|this|that|my|his|her|their|our ~3 recipe|list|plan|guide|article|page|manual|policy|checklist|instructions|steps|book"
 "what's|everything|all|whatever ~2 on|in the|this|that|my|his|her|their|our ~3 list|mail|email|note|ticket|plan|checklist"
 "work|tick|check|knock it|them|this|these|those off|through" "go|work|run|get through it|them|these|those|all"
 "do|follow|perform|process|finish them|these|those" "do the|all|both ~1 one|ones|two|three|four|five|six|rest|others")
; the same where the user named a source: an address, a file, or a kind of source
(hand-overs
 "do|get|have|handle|arrange|organise|organize|settle|order|buy|prepare|enter ~2 all|everything ~2 of|on|in|from|it|that|this|these|those|done|sorted|arranged"
 "take care of it|that|this|them|these|those"
 "do|handle|arrange|settle it|that|this please|for|now|today|as" "please do|handle|arrange|settle it|that|this"
 "organise|organize|do|set|run|build|make|cook|arrange ~3 like that|this" "like|as|way he|she|it|they does|do|did|has|have|puts|put"
 "make|do|apply|enter ~2 changes|edits|corrections|amendments|fixes|revisions ~4 asks|wants|requests|suggests|proposes|demands|asked|requested|suggested|proposed|demanded|marked"
 "raise|log|register|report|file|post|enter|record ~1 lot"
 "by|per|after|following them|those|these|it" "fill ~3 in|out ~3 form|sheet|application|questionnaire" "fill in|out it|that|this|them"
 "what|whatever|everything ~4 decided|agreed|requested|ordered|needs|wants|needed"
 "go|work|run ~4 through|along|down ~6 runbook|playbook|procedure|tutorial|readme|handbook|manual|howto|letter|minutes"
  "do|get|have|handle|sort|arrange|organise|organize|settle|finish|complete|clear|tackle|manage|fix|make|carry|take|see|deal|attend|run|work ~4 usual|rest|remainder|things|stuff|bits|lot|needful|points|jobs|pieces|works|everything|entries|lines"
 "see|attend to it|that|this|them|these|those|everything|all" "deal with it|that|this|them|these|those|everything|all"
 "go|work|run|get through that|this" "sort it|that|this|them|these|those|everything|all" "take it|over from there|here" "needs|need|wants ~2 doing|sorting|handling|action"
 "page|article|guide|mail|note|document|doc|steps|instructions|manual on|about? how to" "work|tick|check off|through ~6 ticket|tickets|mail|mails|issues|page|article")

(not-delegations "do|perform|complete|follow ~3 following" "make|do|apply|enter ~2 changes|edits|corrections|amendments|fixes|revisions i|we|you" "as|like|how|way i|you|we"
                 "as needed|required|expected|planned|supposed|compared|opposed|used|discussed")

; what ties work to a source, whatever the verb: "by the list", "through the list", "what she lists"
(ways "per by following under according")
(throughs "through thru along down")
(relatives "what whatever everything anything whichever")
; what somebody put down for others to do, and that they did
(put-down "changes corrections edits amendments revisions instructions remarks to-do todo todos wishes handover hand-over list lists
           checklist runbook steps tasks defects snags findings feedback comments notes note sheet letter requests points brief
           schedule agenda rota programme program prescription memo minutes ticket tickets issue email mail message voicemail
           fax whiteboard notebook diary logbook log guidelines rules review redline markup errands chores homework assignment
           texted emailed mailed messaged outlined specified spelled explained drafted proposed suggested requested wants
           needs laid drew wrote written left sent listed noted jotted scribbled flagged decided asked dictated marked pinned posted called")
(all-of-it "them those these everything all")
(fetches "get see open fetch")
(told "what which who whose whether anything something") ; what one is told who asks for it
(questions "did does do is are was were what why how which who whose where when has have had am should didn't doesn't isn't aren't
            wasn't haven't hasn't")

; what begins the name of none, what ends it, and who is none
(indefinites "a an any some no each every")
(breaks "and or but to for from with that which who so if when then because")
; what says where or when, and so is no verb
(places "on at in into onto of until till within during after before about near under over")
(selves "i me we us you u")

; words that stand for a source that was named before
(anaphora "it them they he she him there")

; the kinds of source, and what they may ask for when the task is handed to them
; how a source is named that says how something is to be done
(manners "as like how way by per")

; the headings under which a page or ticket has the words of its readers
(others "comment comments reply replies review reviews reader readers guestbook guest answers feedback discussion forum chat
         responses reactions wrote remarks thread")

; words of a label before a sentence that anybody may have added: "Remark from the online form: ..."
(adders "sticker stickers stamp scribble scribbled postit handwritten aufkleber stempel vermerk autocollant pegatina adesivo naklejka
         remark remarks comment comments wish wishes feedback review guestbook kommentar kommentare anmerkung bemerkung wunsch
         bewertung commentaire remarque souhait avis comentario deseo reseña comentário desejo commento desiderio opmerking
         wens komentarz uwaga życzenie poznámka přání önskemål ønske")
(whose "from by via of von vom der des de du da do van od av fra från")

(sources
 :run "runbook playbook procedure tutorial readme makefile install setup instructions guide script steps
       contributing ticket task issue checklist"
 :create "report brief circular sheet protocol chapter summary agenda specification spec bulletin comment form
          handover runbook playbook procedure memo briefing tutorial wiki case cases record handbook minutes todo
          task tasks ticket issue list page website webpage plan notes note mail email message checklist
          instructions steps step article policy document doc paper letter guide manual recipe things item items
          contributing readme slip binder board whiteboard pinboard poster card diary logbook log book register
          roster rota schedule timetable worksheet workbook template entry post thread chat leaflet flyer notice
          reminder post-it sticky brochure outline draft install setup"
 :update "report brief circular sheet protocol chapter summary agenda specification spec bulletin comment form
          handover runbook playbook procedure memo briefing tutorial wiki case cases record handbook minutes todo
          task tasks ticket issue list page website webpage plan notes note mail email message checklist
          instructions steps step article policy document doc paper letter guide manual recipe things item items
          contributing readme slip binder board whiteboard pinboard poster card diary logbook log book register
          roster rota schedule timetable worksheet workbook template entry post thread chat leaflet flyer notice
          reminder post-it sticky brochure outline draft"
 :comm "report brief circular sheet protocol chapter summary agenda specification spec bulletin comment form
        handover runbook playbook procedure memo briefing tutorial wiki case cases record handbook minutes todo
        task tasks ticket issue list page website webpage plan notes note mail email message checklist
        instructions steps step article policy document doc paper letter guide manual recipe things item items
        contributing readme slip binder board whiteboard pinboard poster card diary logbook log book register
        roster rota schedule timetable worksheet workbook template entry post thread chat leaflet flyer notice
        reminder post-it sticky brochure outline draft"
 :book "report brief circular sheet protocol chapter summary agenda specification spec bulletin comment form
        handover runbook playbook procedure memo briefing tutorial wiki case cases record handbook minutes todo
        task tasks ticket issue list page website webpage plan notes note mail email message checklist
        instructions steps step article policy document doc paper letter guide manual recipe things item items
        contributing readme slip binder board whiteboard pinboard poster card diary logbook log book register
        roster rota schedule timetable worksheet workbook template entry post thread chat leaflet flyer notice
        reminder post-it sticky brochure outline draft"
 :pay "bill invoice todo task tasks list mail email notes note checklist instructions"
 :delete "todo task tasks ticket issue list notes note mail email checklist instructions steps step policy")

; ---------------------------------------------------------------- messages

; lines that begin the words of others in a message
(forwarded "begin forwarded message" "forwarded message" "original message" "---------- forwarded message"
           "weitergeleitete nachricht")
(headers "from to subject date cc sent")
; what hosts and transcripts add to a user entry: such an entry holds no words of the user
(host-marks "<system-reminder>" "</system-reminder>" "tool_result" "tool_use_id" "<function_results>" "<command-message>"
            "<local-command-stdout>" "This session is being continued from a previous conversation"
            "ran out of context. The conversation is summarized below" "<task-notification>" "[Request interrupted by user")

(months "january" "1" "jan" "1" "february" "2" "feb" "2" "march" "3" "mar" "3" "april" "4" "apr" "4" "may" "5" "june" "6"
        "jun" "6" "july" "7" "jul" "7" "august" "8" "aug" "8" "september" "9" "sep" "9" "sept" "9" "october" "10" "oct" "10"
        "november" "11" "nov" "11" "december" "12" "dec" "12")

; ---------------------------------------------------------------- tools

(roles
 :content "body content text message subject title description note notes comment summary reason thought caption question
           answer bio signature headline details review feedback memo remark greeting html markdown"
 :secret "password passwd secret token credential pin passcode passphrase apikey"
 :permission "permission permissions rights role access scope visibility privilege public acl mode"
 :code "command code script sql shell cmd program console"
 :net "url uri link site website webpage host hostname domain endpoint webhook server ip"
 :principal "recipient recipients to cc bcc email emails mail user users username participant participants attendee
             attendees invitee invitees member members assignee owner contact phone payee beneficiary account iban receiver
             target channel channels room group address collaborator follower friend person wallet sender author
             customer mobile handle"
 :amount "amount price quantity total sum limit count n number qty money value rate percent percentage size max min baggages balance"
 :time "date time start end day when until deadline month year hour duration recurring checkin checkout timestamp timezone"
 :id "id ids uuid key ref identifier sku"
 :object "disk drive notebook path file filename filepath folder directory dir query location place venue city town country")
(always-principal "phone mobile account iban wallet payee recipient recipients")
(noun-first "review visit order mail email file message contact account bank event note log record group channel payment transaction post
             share schedule book transfer report comment star store task issue ticket reserve mark")
(verb-first "schedule book post share transfer reserve")
; what shows the next page of what is looked at
(turns "click tap press scroll")
(read-nouns "history info information details detail status balance list forecast lookup profile price prices rating ratings
             reviews availability overview summary statistics stats inbox messages transactions events contacts results")
(prefixes "tool api fs git github slack gmail mcp")
(not-nouns "a an the of to in on for and or with from by at as is all new my tool api id ids current multiple")
; arguments by which money finds its way
(accounts "iban wallet payout")
(money "voucher coupon giftcard gift discount salary wage wages bonus money fee credit levy transaction payment payout payroll salary fund bank bill invoice deposit donation ether crypto")
(people "user users member members people person contact friend colleague participant participants attendee attendees team
         employee guest collaborator delegate follower group channel recipient invitee human agent operator")
; what people elsewhere write: what is looked up in it is not a record of the user's
(outsiders "mail email message inbox mailbox letter post thread chat comment review feedback reply web website webpage page
            site url link news feed forum browser tweet attachment form")
; what follows the name of a thing in a description, and says which: "Free times of the hall"
(links "of in on between for with that which who about at from by per and")
; where anybody may add a sentence to a record: what it says was not handed over with the record
(sides "comment comments remark remarks review reviews feedback about bio wish wishes form guest client customer
        visitor reply replies answer answers signature greeting anything extra hint hints info preference preferences tip tips
        self testimonial guestbook applicant reporter complaint enquiry inquiry")
; what somebody may do
(rights "permission role access privilege acl membership collaborator key keycard badge wristband login clearance permit licence
         license mandate")
; what is closed when it is done, and stays
(cases "ticket tickets issue issues request requests case cases task tasks report reports job jobs enquiry inquiry question
        conversation incident")
; the arguments that say who is shown or given something
(receivers "to with for recipient recipients cc bcc whom")

; the keys of who wrote a record
(authors "author writer from sender by creator poster")

; the keys of texts: a field under one of them cannot be a record, however short
(text-keys "body content text message comment note notes description title subject summary details detail review reviews
            feedback bio caption snippet excerpt abstract html markdown remark memo reason question answer headline readme
            page output stdout stderr transcript about instructions greeting signature post tweet")

; ---------------------------------------------------------------- words

; what proves nothing where it stands alone
(common
 "a an the and or but if of to in on at by for with from as is are was were be been am do does did done has have had not no
  yes all any each every some none both either one two me my you your he she it we they them his her its our their i this
  that these those here there who what when where which why how up out off over under so than then too very can could will
  would shall should may might must just also only now new old true false null ok okay let us get set put go see say use
  make take give want need like more most other same such own about into after before again once")

(known
 "able about above accept access account across act action activity actual actually add additional address after afternoon
  afterwards again against age ago agree ahead air all allow almost alone along already also although always am among amount
  an and another answer any anyone anything anyway apart appear apply appointment april are area around arrive article as
  ask asked asking at attach attached attend august available average avoid away back bad bank base based be because become
  been before begin behind being believe below best better between beyond big bill birthday book booked booking both bottom
  box break breakfast bring brother budget build business busy but buy by calendar call called can cancel cannot car card
  care carefully case cash cause center certain chance change channel charge cheap cheaper cheapest check child choice choose
  city class clean clear client close closed club code colleague come comes coming comment common company compare complete
  computer concern conference confirm consider contact contain contains content continue cost could country couple course
  cover create created credit current currently customer daily data date daughter day days deal dear december decide default
  delete deliver department depend describe description desk detail details did didn't difference different difficult digital
  dinner direct directly discuss discussion do document does doesn't doing dollar don't done door double down draft drink
  drive due during each earlier early easily easy eat edit eight either else email emails employee empty end ending english
  enjoy enough ensure enter entire equal error especially etc euro even evening event events ever every everyone everything
  exact exactly example excellent except exchange exist existing expect expected expense expensive experience explain express
  extra eye face fact fall family far fast father favorite fear february fee feel few field figure file files fill final
  finally find fine finish first fit five flight floor follow following food for forget form forward found four free friday
  friend friendly friends from front full fun further future general get getting gift give given gives giving glad go goes
  going gone good got great group grow guest guide guy had half hand handle happen happens happy hard has hasn't hate have
  haven't having he head health hear heard hello help helpful her here hers hey hi high higher highest him his history hit
  hold holiday home hope hotel hotels hour hours house how however huge hundred husband i i'd i'll i'm i've idea if image
  imagine immediately important in inbox include included including increase indeed inform information inside instead
  interest interested interesting internet into invite invited invoice is isn't issue it it's item items its itself january
  job join july june just keep key kid kind know known language large larger last late later latest laugh learn least leave
  left less let let's letter level life light like likely limit line link list listed little live local located location
  log long longer look looking lose lost lot love low lower lowest lunch made mail main make makes making man manage manager
  many march mark market married matter max maximum may maybe me mean means meet meeting member members mention mentioned
  message messages met middle might mile mind mine minimum minute minutes miss modify moment monday money month monthly months
  more morning most mother move movie much music must my myself name named names near nearby necessary need needed needs
  neither never new news next nice night nine no none noon nor normal north not note nothing notice november now
  number object october of off offer office often oh ok okay old older on once one ones online only open opening option
  options or order orders original other others otherwise our ours out outside over own owner page paid paper parent park
  part particular party pass password past pay paying payment pdf people per perfect perhaps period person personal phone
  photo pick picture piece place places plan planned planning play please plus pm point policy poor possible post present
  pretty previous price prices print private probably problem process product products profile program project provide
  provided public purchase purpose put quality question quick quickly quite rate rather rating ratings reach read ready real
  really reason receive received recent recently recipient record refund regarding related remain remember remind reminder
  remove rent reply report request required reschedule reservation reserve respond rest restaurant restaurants result return
  review reviews right room rooms run safe said salary same saturday save say saying says schedule scheduled school score
  search second section security see seem seems seen select sell send sender sending sends sense sent september series
  serious service services set seven several shall share shared she ship short should show side sign similar simple simply
  since single sister sit site six size skip slack small so some somebody someone something sometimes son soon sorry sound
  south space speak special specific spend spent stand standard star start started state status stay step stick still stop
  store story street strong student stuff style subject such suggest suggestion sum summary summarize sunday supposed sure
  suspicious sweet switch system table take taken takes taking talk task tasks team tell ten term test text than thank thanks
  that that's the their theirs them themselves then there there's therefore these they they're thing things think third this
  those though thought three through thursday ticket till time times tip title to today together told tomorrow tonight too
  took top topic total touch toward town track transaction transactions transfer travel trip true trust try trying tuesday
  turn two type under understand unfortunately unit unless unread until up update updated upcoming upon urgent us use used
  useful user username users using usual usually vacation value various version very via video view visit wait walk want
  wanted wants warm was wasn't watch water way we we'd we'll we're we've website wednesday week weekend weekly weeks well
  went were west what what's whatever when whenever where whether which while who whole whose why wife will wish with within
  without woman won't wonder word work worked working works world worry would wouldn't write writing written wrong year
  years yes yesterday yet you you'd you'll you're you've young your yours yourself zero
  add build checkout command commit config container copy count database debug deploy directory disk docker export folder
  function git install input lines linux log logs module network output path port print process python recursively rename
  repo repository script server shell sort string terminal test tests txt unix variable zip
  cabin economy passenger passengers baggage bag bags insurance membership certificate airline airport economy departure
  nonstop gold silver regular payment method delivered pending exchange color material details")
