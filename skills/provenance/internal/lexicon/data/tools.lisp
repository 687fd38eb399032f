; What the names and descriptions of tools say, beyond the words of tasks: verbs of servers, the same in other
; languages as beginnings ("rezerw*"), and what arguments are called. Only drafts of tools read the verbs.
; Source: the authors' general knowledge of the APIs of services and of these languages; licence: that of the project.

(tool-verbs
 :comm "say fax phone ring speak chat toot blast nudge poke request syndicate transmit dispatch congratulate inquire enquire
         mailout react rate endorse vote upvote downvote mention whisper echo  cc bcc summon alert invite
        offer propose petition lodge"
 :create "generate snapshot clone duplicate provision spawn enqueue queue ingest index capture bookmark favorite favourite
          onboard upsert crt ins new emit draft materialize lend borrow hatch allocate enter start sched reg collect
          import author preorder preregister initialize initialise seed scaffold bake  assemble  adopt"
 :update "resize scale resume arm disarm pin unpin star unstar flag unflag tag untag label relabel retag hide unhide snooze
          unsnooze unmute escalate deescalate prioritize prioritise triage transition advance route reroute remap sync
          synchronize rebase override overrule attach detach link unlink mount unmount dim brighten heat cool turn calibrate
          tune retry requeue rebook relocate reprice upd mod chg patch amend backfill reindex pair unpair dock undock
          nominate feed water prolong renew bookmark favorite favourite like unlike rate vote acknowledge ack approve reject
          decline dial start stop pause resume snooze rework retitle recolor crop trim rotate zip unzip encode transcode
           toggle checkin checkout signoff clockin clockout reconcile reclassify recategorize regroup finalize
          finalise publish unpublish postprocess reopen requeue  swap promote demote  hold unhold
           water  harvest sow weigh stamp seal  "
 :delete "suspend evict truncate flush prune expire invalidate overwrite rollback revert restore  quit leave
          deprovision offboard deregister unregister unenroll unsubscribe vacate shred nuke raze reimage format 
          reformat rebuild repave del rm rem dismantle demolish disband dissolve eject euthanize scrap cull delist
           kill terminate unmatch forget
          cleanup cancellation deletion removal termination revocation expulsion eviction"
 :pay "charge bill credit debit payout bid stake liquidate invest sell trade recharge topup preauthorize preauth capture
       offer   discount reprice waive writeoff umorz reimburse crediting rebate invoice underwrite
       wager bet pledge checkout"
 :grant "op deop promote demote permit entitle whitelist allowlist unban unblock unlock trust impersonate elevate sudo
         delegate expose  appoint empower enrol admit invitation admission deputize deputise license certify  buzz
         "
 :run "release exec eval spawn kickoff fire trigger train retrain boot")

; beginnings of such verbs in other languages, of the forms of a word that names and descriptions use
(tool-verbs
 :comm "gönder* gonder* bildir* yayınla* yayinla* duyur* send* schick* versend* verschick* benachrichtig* informier* meld* mitteil* antwort* veröffentlich* veroeffentlich* teil*
        envo* transm* réponds* repond* notif* publi* diffus* prévi* previen* avis* signal*
        enví* envi* mand* respond* comunic* difund* transmit* divulg* encaminh*
        invi* inoltr* rispond* comunic* avvis* pubblic* trasmet* stuur* verstuur* verzend* beantwoord* informeer* publiceer*
        wyśl* wysl* wysył* wysyl* powiadom* odpowiad* odpowiedz* opublik* przekaz* przekaż* pošl* posl* odešl* zveřejn* upozorn*
        skick* svar* meddel* publicer* underrätt* informer*"
 :pay "öde* ödeme* iade* satın* satin* fatura* zahl* bezahl* überweis* ueberweis* erstatt* abbuch* kauf* verkauf* belast* gutschreib*
       pay* règl* regl* vir* rembours* achet* achèt* vend* débit* debit* crédit* factur* encaiss*
       pag* transfer* reembols* compr* cobr* factur* abon* estorn* vend* debit* faturar* fatura*
       pagh* rimbors* acquist* vend* addebit* fattur* bonific* betal* betaal* overmak* koop* verkoop* factureer* incass* crediteer*
       płac* plac* zapłac* zaplac* opłac* oplac* umarz* umorz* przelew* przelej* kup* sprzed* obciąż* obciaz* zaplat* koup* prodat* prodej* uhrad*
       köp* sälj* fakturer* kjøp* selg* betal* refunder*"
 :book "buch* reservier* miet* bestell* vormerk* réserv* reserv* lou* command* alquil* reserv* prenot* ordin* nolegg* boek* reserveer* bestel* huur*
        rezerw* zarezerw* zamów* zamow* wypożycz* wypozycz* rezerv* objedn* boka* hyr* beställ* bestil*"
 :create "ekle* oluştur* olustur* kaydet* entwerf* entwirf* exportier* rédig* export* redact* eksport* ontwerp* projekt* erstell* anleg* anlegt* hinzufüg* hinzufueg* speicher* erfass* eintrag* einreich* erzeug* registrier* ausstell*
          cré* cree* ajout* enregistr* inscri* génér* gener* gera* émet* emet* émit* saisi* dépos*
          cre* añad* anad* agreg* registr* guard* gener* emit* adicion* cadastr* inser* regist* grav* lanç* lanc*
          crea* aggiung* registr* salv* gener* emett* emiss* iscriv* inseris* aanma* toevoeg* registreer* opsla* invoer* genereer*
          dod* utwórz* utworz* tworz* zapis* wystaw* rejestr* zarejestr* generuj* wprowad* přid* prid* vytvoř* vytvor* založ* vystav*
          skapa* lägg* registrer* opret* opprett* tilføj*"
 :update "değiştir* degistir* güncelle* guncelle* taşı* tasi* ertele* uzat* genehmig* bestätig* bestaetig* ablehn* start* approuv* refus* lanc* aprob* aprov* rechaz* rejeit* inici* approv* rifiut* avvi*
          goedkeur* afkeur* zatwierdz* zatwierdź* odrzu* uruch* schval* zamít* spust* godkän* godkjen* godkend* avslå* änder* aender* verschieb* setz* aktualisier* anpass* umbuch* ersetz* korrigier* verläng* verlaeng* markier* sperr*
          modifi* chang* déplac* deplac* mett* corrig* remplac* actualis* prolong* prêt* pret*
          cambi* modific* actualiz* atualiz* alter* mud* mov* mueve* corrig* reprogram* prorrog* renov*
          modific* cambi* spost* aggiorn* corregg* sostitu* rinnov* prorog* wijzig* verander* verplaats* bijwerk* verleng* aanpas*
          zmie* przełó* przelo* przenie* ustaw* popraw* zaktualiz* aktualiz* przedłuż* przedluz* umieszcz* změn* zmen* přesun* presun* uprav* prodluž*
          ändr* flytt* uppdater* förläng* endre* flytt* oppdater* opdater* ændr* forleng* forlæng*"
 :delete "interrump* interromp* unterbrech* abbrech* przerw* afbreek* afbrek* iptal* sil* kaldır* kaldir* lösch* loesch* entfern* stornier* kündig* kuendig* absag* beend* supprim* effac* annul* retir* résili* resili*
          elimin* borr* cancel* anul* quit* apag* exclu* remov* rescind* cancell* annull* rimuov* disdic* verwijder* annuleer* opzeg* wis*
          usu* usun* skas* anuluj* odwoł* odwol* wypowied* smaz* smaž* odstran* zruš* zrus* radera* avbok* avbryt*  fjern* slett* avlys*"
 :grant "freigeb* freigib* einlad* berechtig* erlaub* gewähr* gewaehr* bevollmächtig* bevollmaechtig* entsperr* aufschließ*
         partag* invit* autoris* accord* octroi* déverrouill* habilit* autoriz* conced* otorg* outorg* permit* compart* desbloque* nomina*
         condivid* autorizz* conced* abilit* sblocc* machtig* uitnodig* toestaa* deel* ontgrendel* verleen*
         udziel* udostępn* udostepn* zapros* zaproś* upowa* nada* odblok* povol* pozv* sdíl* oprávn* bjud* tillåt* tillat* invit* ")

(tool-verbs
 :comm "einreich* abgeb* expedier* underrätta* anmäl* anslå* underret* indberet* offentliggør* varsle* lähetä* laheta* ilmoita* julkaise*"
 :pay "utbetal* återbetal* aterbetal* udbetal* tilbakebetal* överför* overfør* overfor* debitera* kreditera* swish* maksa* hyvitä* laskuta*"
 :delete "vernicht* aussonder* streich* gallra* förstör* makuler* kasser* kast* inställ* installd* afmeld* opsig* aflyst* avslut* afslut*
          uppsäg* poista* peruuta* hävitä* irtisano* zniszcz* wykreśl* zamknij* zlikvid* vyřad* skartu* vernietig* schrap* détrui*
          detrui* clôtur* clotur* destru* distrugg* slagt* slakt*"
 :grant "vergeb* vergib* zuweis* freischalt* erteil* ernenn* tilldela* bevilja* tildel* bevilg* innvilg* myönnä* valtuuta* przydziel*
         przyzn* přiděl* pridel* toeken* attribu* délivr* delivr* asign* assegn* atribu*"
 :create "upprätta* anteckna antecknar planlæg* planlaeg* planlegg* tilfoj* opret* lisää* kirjaa* tallenna* varaa*"
 :update "bevaka* uppdatera* sæt* saet* sätt* rediger* marker* päivitä* muuta* siirrä* aseta*")

; such verbs that are nouns as often: behind the first word of a name they are taken for one
(tool-nouns "queue request phone ring chat rate offer index capture label tag link feed patch pair test format bill credit charge trade
             stake bid discount invoice mention alert echo flag star pin vote heat cool clone snapshot import author draft
             like unlike seed sow emit collect enter build train fire boot op dock patch favorite favourite bookmark
             fax new ins reg mod upd chg rm fine pledge bet scrap cull pause snooze dial zip water trim")

(tool-reads "whois returns ranking rank diff simulate rank sample poll  qry lst sel chk explain
               describe whatif forecast predict classify render preview  annotate
             compute calc aggregate lookup audit  tail trace  searches lists
             such* les* liest* zeig* anzeig* auflist* abruf* abfrag* prüf* pruef* berechn* ermittl* schlag*
             cherch* recherch* affich* list* lir* lis* voir* consult* vérif* verif* calcul* compar* obten* aperçu* apercu* calendrier*
             busc* muestr* mostr* list* consult* obtén* obtien* obter* calcul* verific* compar* pesquis* exib* calendario*
             cerc* mostr* elenc* legg* consult* calcol* verific* ottien* confront* visualizz*
             zoek* toon* lees* lijst* bekijk* bereken* opvrag* opzoek* controleer* vergelijk*
             szuk* wyszuk* pokaż* pokaz* sprawd* lista* oblicz* pobierz* pobier* wyświetl* wyswietl* czyt* hled* najd* zobraz* vypo* zjist*
             listele* göster* goster* görüntüle* goruntule* getir* sorgula* sök* sok* visa* läs* hämta* hamta* laes* læs* hae* näytä* listaa* etsi* lista* beräkn* visa* søg* sog* hent* hen* beregn*")

; what a description says where using the tool costs money
(costs "credited billing billed charged debited invoiced payable chargeable kostenpflichtig débite débité facturé abgebucht berechnet
        cobrado cobra addebita addebitato aangerekend gefactureerd pobiera obciąża účtuje debiteras")

; what keeps people out or sees them, and what opens something to anybody who knows it
(secures "safe alarm alarms door doors gate gates camera cameras key keys keycard keycards mfa sso token tokens
          alarma puerta cerradura llave llaves porte serrure clef clé clefs clés tür tür* tuer* haustür* schloss schlüssel
          schlüssel* schluessel* zugangs* tresor chiave porta sleutel klucz nøgle nøkkel")
(secrets "secret credential credentials password passcode apikey clave contraseña passwort kennwort senha hasło heslo parola
          şifre wachtwoord lösenord")
; arguments: what somebody may do from then on, who sells something, and what something may cost
(entitles "role roles permission permissions rights access scope scopes rolle recht rechte berechtigung rôle droit droits permiso
           permisos ruolo permessi rola uprawnienia yetki")
(sellers "shop store supplier vendor wholesaler merchant seller fournisseur lieferant händler haendler proveedor fornitore
          fornecedor leverancier dostawca dodavatel leverantör leverandør grossist grossista tedarikci")
(prices "budget price fee discount prix preis rabatt precio descuento preço desconto prezzo sconto prijs cena")

(roles
 :content "grounds params parameters variables topic reason motif objet wishes wish answers answer options option choices blocks block   
           items justification justificativa justificación uzasadnienie grund
           begründung begruendung anlass kommentar nachrichtentext remarks narrative instructions instruction
           reference agenda keywords bullet bullets allergies symptoms diagnosis findings finding observation observations
           itens articles posten pozycje articoli voci regels items wishes"
 :time "effective ab vanaf at on expires expiry expiration arrival departure window valid validity period periods month months week weeks year years
        weekday weekdays day days hour hours minute minutes term due starts ends begins until till
        since before after deadline eta checkin checkout periode période periodo período validade vencimento validité échéance
        echeance gültig gueltig frist laufzeit zeitraum monat woche jahr mois semaine année annee mes semana año ano mês
        data dataora giorno mese settimana anno maand week jaar geldig okres miesiąc miesiac tydzień tydzien rok ważność
        waznosc debut fin début inicio término termino månad vecka år måned uke uge dni dias días giorni dagen jours"
 :amount "qty quantity quantité pieces piece units percent pct weight height width length dims volume liters litres kg kw copies
          seats party guests persons personnes personen personas pessoas persone osoby capacity stars score points level
          temperature brightness speed kwota liczba anzahl nombre tantal stück stueck szt stock nb"
 :flag "state status stage priority type kind category language lang currency color colour paper size format level theme layout view kategorie categorie catégorie categoría categoria kategoria tipo typ preset"
 :object "shift slot slots season document documents environment env sector batch lot center centre costcenter department dept division office
          floor building corridor locker rack aisle dock platform yard tank silo greenhouse pasture paddock hive pond
          boat vessel ship container trailer aircraft engine filter belt robot camera drone gateway router switch
          handset laptop monitor plate policy claim case incident alert workflow pipeline runner repository fork
          folder register drawer cabinet whs wh loc item product article dish menu room area section zone scene lock
          door gate device entity printer scanner machine terminal station board page pitch court lane shelf bin
          warehouse plant depot depots branch region zip postcode postal plot parcel vehicle car van truck bike
          train tram bus flight seat table bed ward unit part component module version release tag label tariff plan
          package bundle season course subject lesson book album track song playlist artist title league team squad
          tournament match game job project task milestone sprint epic backlog list tab sheet cell column row template
          model brand make variant material fabric finish flavour flavor recipe ingredient crop animal herd barn stable
          tank pump valve heater thermostat lamp light bulb blind curtain sensor meter charger battery boiler oven kiln
          mower sprinkler profile dashboard metric instrument equipment asset furniture pallet crate box bag kit lab
          sample specimen test panel medicine drug dose treatment therapy procedure reservation booking ticket order
          cart basket shipment delivery carrier service subscription backup snapshot image volume instance cluster node
          bucket database schema index queue stream partition emplacement salle type_de zimmer tisch gerät geraet
          produkt artikel ware produit appareil producto artículo articulo aparato produto artigo prodotto articolo
          apparecchio toestel apparaat produkt towar urządzenie urzadzenie pokój pokoj stolik výrobek zařízení pokoj
          vara produkt enhet rum bord vare"
 :id "inventaire inventar inventory isbn ean barcode sku serial imei vin chave clave clef aktenzeichen kundennummer
      bestellnummer vorgang vorgangsnummer protocolo folio expediente fatura factura facture rechnung rechnungsnummer faktura
      numer indeks sygnatura zamówienie pesel nip cnpj cpf iva steuernummer vat taxno regon revision commit sha hash"
 :principal "guest patient tenant landlord resident pupil student teacher doctor nurse caretaker driver courier supplier vendor
             seller buyer client clients lead prospect donor volunteer player coach trainer
             emprunteur locataire patient élève eleve fournisseur lieferant mieter patientin schüler schueler mandant
             proveedor inquilino paciente alumno cliente fornecedor aluno fornitore inquilino paziente alunno leverancier
             huurder patiënt leerling dostawca najemca pacjent uczeń uczen klient czytelnik dodavatel nájemce pacient žák
             leverantör hyresgäst elev kund leverandør lejer leietaker kunde courriel successor deputy delegate
             substitute nachfolger vertreter vertretung bevollmächtigter contador notary lawyer assignees reviewers reviewer
             approver approvers subscriber subscribers listener audience"
 :secret "jeton kartentoken"
 :net "callback hook cidr ingress egress port origin referrer redirect")

(read-nouns "leaderboard standings ranking rankings catalog catalogue timetable directory suggestion suggestions preview calendar
             recap digest breakdown insights analytics metrics usage")
(money "instalment installment dues fine fines charge charges fee fees refunds invoices bills tip surcharge commission rate rates price prices fare fares
       markup rebate")
(money "purchase zahlung zahlungen gehalt monatsgehalt lohn lohnlauf gebühr gebuehr rechnung kaution guthaben miete strafe paiement paiements salaire
        facture caution loyer remboursement amende pago pagos nómina nomina salario factura alquiler reembolso multa fatura
        salário pagamento pagamentos stipendio fattura affitto rimborso multa betaling betalingen loon salaris factuur huur borg
        boete płatność platnosc wynagrodzenie faktura czynsz kaucja kara karę kare opłata oplata opłatę platba mzda nájem pokuta
        betalning lön hyra böter lønn husleie løn bøde")
(rights "zugang zugriff berechtigung berechtigungen vollmacht ausweis accès acces droits procuration acceso accesos permiso permisos
         accesso permessi toegang rechten volmacht dostęp dostep uprawnienia pełnomocnictwo pelnomocnictwo přístup oprávnění
         behörighet åtkomst fullmakt adgang tilgang procuração procuracao poderes poder")
(cases "survey poll tab thread")

; what finds by words, as a name of a tool or of an argument: nothing that it finds is called by them
(searches "search find lookup query google q keyword keywords term terms phrase
           suche suchen suchbegriff cherche chercher recherche rechercher buscar busca búsqueda pesquisar pesquisa cerca cercare ricerca
           zoek zoeken zoekterm szukaj wyszukaj fraza hledat hledej søk søg sök")
