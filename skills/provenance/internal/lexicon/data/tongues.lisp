; The commonest words of tasks and tools in German, French, Spanish, Portuguese, Italian, Dutch,
; Polish, Czech, Swedish, Danish and Norwegian: what tools do, what their arguments are, and how an order
; begins. Source: the authors' general knowledge of these languages; licence: that of the project.
; Words that English has too stand in no list. No message counts as known by them: what they lack leaves
; unknown what the user asks for, and does not deny it.

(verbs
 :comm
 "senden schicken verschicken versenden mailen antworten benachrichtigen mitteilen informieren melden sende schicke schick antworte benachrichtige informiere"
 "envoyer envoie envoyez répondre repondre répondez prévenir prevenir prévenez informez publier publiez écrire ecrire écrivez transmettre transmettez"
 "enviar envía envia envíe envie mandar manda mande responder responde responda avisar avisa avise informar informe publicar publica publique escribir escribe reenviar"
 "escrever escreva avise inviare invia invii mandare rispondere rispondi avvisare avvisa informare pubblicare pubblica scrivere scrivi inoltrare inoltra"
 "sturen verstuur versturen stuur stuurt beantwoorden antwoorden antwoord informeren melden verwittigen doorsturen mailen"
 "wyślij wyslij wysłać wyslac napisz napisać odpowiedz powiadom poinformuj przekaż przekaz odeslij odeślij"
 "poslat pošli posli odpovědět odpovez napsat napiš informovat skicka skickar svara meddela informera skriv sende svar skriv underret varsle"
 :pay
 "zahlen bezahlen überweisen ueberweisen erstatten kaufen abbuchen zahle bezahle überweise ueberweise erstatte kaufe kauf überweisung ueberweisung auszahlung"
 "payer payez paie paye régler regler virement rembourser remboursez rembourse acheter achète achetez pagar paga pague transferir transfiera reembolsar reembolsa comprar compra compre reembolso transferencia"
 "transferência pagamento pagare paga bonifico rimborsare rimborsa rimborso comprare compra acquistare acquista pago"
 "betalen betaal overmaken overboeken terugbetalen kopen koop betaling terugbetaling overboeking vooruitbetaling"
 "zapłać zaplac zapłacić zaplacic przelew przelej przelać zwrot zwróć kup kupić zwroc zaplatit zaplať převod prevod vrátit koupit"
 "betala betalning köp köpa återbetala betal betaling betale køb kjøp overfør overføre refunder"
 :book
 "buchen reservieren vormerken mieten bestellen buche reserviere bestelle bestell miete réserver reserver réservez réserve commandez louer"
 "reservar reserva alquilar pedir prenotare prenota ordinare ordina noleggiare boeken boek reserveren reserveer bestel huren huur"
 "zarezerwuj rezerwuj rezerwować zamów zamow zamówić zamowic zajmij rezervovat objednat objednej boka bokar reservera beställ beställa hyr bestil bestille reserver"
 :create
 "anlegen erstellen eintragen hinzufügen hinzufuegen speichern notieren erfassen aufnehmen planen einreichen lege erstelle trage notiere erfasse reiche anmelden einschreiben"
 "créer creer créez ajouter ajoutez ajoute enregistrer enregistrez inscrire inscrivez inscris noter notez planifier saisir saisissez déposer deposer remplir imprimer"
 "crear crea añadir anadir añade agregar agrega guardar guarda anotar anota registra inscribir inscribe rellenar programar"
 "criar crie adicionar adicione salvar anotar inscrever creare aggiungere aggiungi salvare annotaree iscrivere iscrivi compilare"
 "aanmaken toevoegen voeg maken maak opslaan noteren noteer registreren inschrijven inplannen invullen indienen"
 "dodaj dodać utwórz utworz zapisz zapisać wpisz wpisać odłóż odloz zaplanuj zgłoś zglos wystaw wystawić"
 "přidat pridat přidej vytvořit vytvorit zapsat zapiš naplánovat lägg skapa spara anteckna registrera anmäl tilføj opret noter registrer opprett lagre"
 :update
 "ändern aendern verschieben verlegen setzen anpassen aktualisieren umbuchen umbenennen ersetzen korrigieren abhaken erledigen ändere aendere verschiebe setze aktualisiere ersetze korrigiere trag"
 "modifiez changez déplacer deplacer déplacez mettre mettez corriger corrigez remplacer remplacez renommer actualiser"
 "cambiar cambia cambie modificar modifica modifique mueve actualizar actualiza corregir corrige reemplazar aplazar alterar altere atualizar atualize corrigir"
 "modificare cambiare spostare sposta aggiornare aggiorna correggere correggi sostituire rinominare"
 "wijzigen wijzig veranderen verander verplaatsen verplaats verzetten aanpassen bijwerken corrigeren vervangen"
 "zmień zmien zmienić przełóż przeloz przenieś przenies ustaw popraw zaktualizuj zamień změnit zmenit změň přesunout presunout nastavit upravit"
 "ändra flytta byt uppdatera rätta ændr flyt opdater endre flytte oppdater bytt"
 :delete
 "löschen loeschen entfernen stornieren absagen kündigen kuendigen abmelden entfallen streichen lösche loesche entferne storniere sage kündige streiche"
 "supprimer supprimez supprime effacer effacez annuler annulez annule retirer retirez résilier resilier désinscrire enlever enlevez"
 "eliminar elimina elimine borrar borra borre cancelar cancela cancele anular anula quitar quita apagar apague remover remova excluir"
 "eliminare cancellare cancella annullare annulla rimuovere rimuovi togliere disdire"
 "verwijderen verwijder annuleren annuleer wissen opzeggen schrappen afzeggen"
 "usuń usun usunąć usunac skasuj anuluj odwołaj odwolaj wypisz zdejmij smazat smaž odstranit odstraň zrušit zrusit zruš"
 "radera avboka avbryt fjern annuller aflys slett avlys avbestill"
 :grant
 "freigeben einladen berechtigen erlauben gewähren gewaehren freigabe gib partager partagez inviter invitez autoriser autorisez accorder accordez compartir comparte invitar invita autorizar autoriza conceder"
 "compartilhar compartilhe condividere condividi invitare autorizzare delen uitnodigen machtigen toestaan udostępnij udostepnij zaproś zapros zezwól zezwol wydaj nadaj sdílet sdilet pozvat povolit dela bjud inviter giv tillad gi tillat")

(reads
 "suchen lesen anzeigen zeigen auflisten öffnen oeffnen abrufen prüfen pruefen nachsehen ansehen suche zeige zeig öffne oeffne prüfe pruefe übersicht uebersicht auskunft"
 "chercher cherche recherche lire lis lisez afficher affiche voir montrer montre lister ouvrir ouvre consulter consulte vérifier verifier regarder"
 "buscar busca leer mostrar muestra listar abrir abre abrir consultar consulta revisar ler leia procurar procure cercare cerca leggere leggi mostrare mostra elenco elencare aprire apri vedere controllare"
 "zoeken zoek lezen lees tonen bekijken bekijk openen opzoeken overzicht controleren"
 "pokaz pokaż pokazać szukaj znajdź znajdz czytaj przeczytaj otwórz otworz sprawdź sprawdz podgląd podglad wyszukaj historia"
 "gelesen leído lu lue letto letta lido gelezen przeczytałem przeczytałam přečetl přečetla läst læst"
 "hledat najít najdi číst cist zobrazit ukázat otevřít seznam sök läs öppna kolla søg læs åbn søk åpne")

; words that every sentence has: they tell nothing, and are in no field of a record
(stops "und oder aber nicht eine einen einem einer sich auch dass wenn wird werden sind haben hat noch nach über aber bitte alle
        pour avec dans vous nous mais cette cet ces sont être leur leurs nos vos aux est une les des merci plait plaît tout tous toute
        para como pero esta este esto estos por una los las del con sin muy gracias todo todos favor está são não uma mas obrigado
        per come sono della delle dello degli alla alle nella questo questa grazie tutti voor niet naar maar het een van met zijn wordt
        worden alle aub jest nie przez oraz żeby tego tej jak lub się dla proszę inte till från och att som det den ett
        ikke til fra med eller har skal")

(links "du des der von vom mit für zum zur im auf de d del della dei delle par pour avec dans sur por para con per nel
        van voor met op z na dla od w u för från på for til av af i")

(read-nouns "bul oku durum durumu takvim takvimi fiche ficha scheda akte overzicht historia historique historial storico verlauf stan übersicht uebersicht liste lista elenco lijst seznam dane")

(others "kommentare kommentar anmerkungen bemerkungen rückmeldungen antworten commentaires commentaire remarques réponses avis comentarios comentários commenti risposte opmerkingen reacties uwagi komentarze opinie komentáře komentarer kommentarer svar")

(outsiders "nachricht nachrichten formular bewertung bewertungen kommentar kommentare courriel courrier formulaire avis commentaire commentaires correo formulario mensaje mensajes comentario reseña mensagem messaggio commento recensione bericht berichten formulier reactie wiadomość wiadomosc wiadomości wiadomosci formularz opinia opinie zpráva formulář meddelande formulär besked formular skjema melding")

(text-keys "nachricht beschreibung bemerkung bemerkungen anmerkung notiz hinweis betreff texte corps remarque remarques commentaire texto cuerpo descripción descripcion nota notas observaciones comentario asunto testo corpo descrizione osservazioni oggetto tekst omschrijving opmerking opmerkingen onderwerp treść tresc opis uwaga uwagi temat informacja popis poznámka bemärkning anteckning beskrivning besked bemærkning")

(months "januar" "1" "januari" "1" "janvier" "1" "enero" "1" "gennaio" "1" "februar" "2" "februari" "2" "février" "2" "febrero" "2"
        "febbraio" "2" "märz" "3" "mars" "3" "marzo" "3" "maart" "3" "avril" "4" "abril" "4" "aprile" "4" "mai" "5" "mayo" "5" "maggio" "5"
        "mei" "5" "juni" "6" "juin" "6" "junio" "6" "giugno" "6" "juli" "7" "juillet" "7" "julio" "7" "luglio" "7" "août" "8" "agosto" "8"
        "augustus" "8" "septembre" "9" "septiembre" "9" "settembre" "9" "oktober" "10" "octobre" "10" "octubre" "10" "ottobre" "10"
        "novembre" "11" "noviembre" "11" "dezember" "12" "décembre" "12" "diciembre" "12" "dicembre" "12")

(roles
 :content "nachricht betreff beschreibung bemerkung anmerkung notiz grund zweck texte corps sujet remarque commentaire texto cuerpo asunto motivo nota descripción descripcion mensaje testo corpo oggetto bericht onderwerp omschrijving reden tekst treść tresc opis temat tytul tytuł uwaga powod powód zpráva popis důvod meddelande ämne besked emne"
 :amount "betrag menge anzahl preis summe montant quantité quantite prix somme importe monto cantidad precio quantia quantidade preço importo quantità prezzo bedrag aantal prijs hoeveelheid kwota ilość ilosc cena szt suma částka cena počet belopp antal pris beløb beløp"
 :time "datum uhrzeit zeit von bis stunde beginn ende heure jour début debut fin fecha hora día desde hasta inicio ora giorno inizio tijd dag uur dzien dzień godzina godz od termin čas datum tid dato klokkeslæt"
 :principal "empfänger empfaenger adresse konto kunde lehrkraft destinataire adresse compte bénéficiaire beneficiaire destinatario cuenta correo beneficiario conta destinatário conto ontvanger rekening adres odbiorca adresat konto rachunek komu účet příjemce mottagare modtager mottaker"
 :object "datei ordner ort stadt raum fichier dossier lieu ville salle archivo carpeta lugar ciudad sala arquivo luogo città bestand plaats plik miejsce miasto soubor místo fil mapp plats mappe sted"
 :id "nr nummer numéro numero número referencia kennung"
 :secret "passwort kennwort contraseña contrasena senha wachtwoord hasło haslo heslo lösenord adgangskode passord"
 :permission "rolle recht rechte berechtigung rôle droit droits rol permiso permisos ruolo permessi rola uprawnienia prawo behörighet rettighed")

(accounts "konto compte cuenta conta conto rekening rachunek účet")
(always-principal "konto compte cuenta conto rekening rachunek empfänger empfaenger destinataire destinatario odbiorca ontvanger")

; what ties the work to a text
(delegations
 "siguiendo eso|esto|ello" "tal como|cual dice|pone|indica|explica" "como dice|pone|indica|explica|escribió"
 "comme|ce il|elle|on a écrit|noté|indiqué|demandé" "comme c'est|indiqué|écrit|noté"
 "so wie|wie's ~2 da|dort|drin ~2 steht|beschrieben" "wie er|sie es ~1 geschrieben|aufgeschrieben|notiert")

; what somebody put down for others to do, and that they did
(put-down
 "änderungen aenderungen korrekturen anweisungen anmerkungen liste zettel übergabe uebergabe aufgaben mängel maengel mängelliste
  notizen hinweise kommentare geschrieben aufgeschrieben notiert hinterlassen geschickt vermerkt rumgekritzelt hingelegt durchgegeben"
 "consignes instructions remarques corrections changements tâches taches liste cahier feuille laissé laisse écrit envoyé noté listé
  laissée laissées"
 "instrucciones cambios correcciones tareas cuaderno recado encargo lista notas dejado escrito apuntado anotado escribió dejó mandó
  envió llegaron"
 "istruzioni modifiche correzioni compiti quaderno appunti lista programma scritto lasciato mandato inviato segnato annotato"
 "instruções instrucoes alterações alteracoes correções recado tarefas caderno lista notas escreveu deixou mandou enviou anotou"
 "instructies wijzigingen aanwijzingen briefje notities overdracht taken lijst waslijst schrift geschreven gestuurd achtergelaten
  opgeschreven genoteerd gemaild"
 "zalecenia poprawki notatka instrukcje zadania kartka uwagi lista napisał napisała zostawił zostawiła wypisał wypisała przysłał
  przysłała zapisał"
 "seznam rozpis pokyny změny poznámky úkoly napsal nechal poslal zapsal napsala nechala poslala"
 "instruktioner ändringar anteckningar lapp lista skrivit skickat lämnat skrev skickade lämnade antecknat beskeder ændringer endringer")
(questions "hab habe hat was wie warum wer wann wo ist sind que qué quel quelle comment pourquoi est cosa che come perché quando chi wat
            hoe waarom wie heb co jak czy dlaczego kdo proč vad hur varför hvad hvordan cómo por quién quais qual quem
            hvem hvornår hvornaar hvor hvilke hvilken når vem vilka vilken mitä mikä kuka milloin missä mi ki mikor hol miért
            ce cine când unde de-ce ne kim zaman nerede nasıl neden kaç τι ποιος ποια ποιο πότε πού πως πώς γιατί
            что кто когда где как почему сколько що хто коли чому скільки")

; questions that ask to act are of these words
(asks-you
 "kannst|könntest|koenntest|würdest|wuerdest|magst|schaffst|machst|übernimmst|erledigst|kümmerst|kuemmerst|regelst|könnt|könntet"
 "können|koennen|könnten|koennten|würden|wuerden sie"
 "tu ~1 peux|pourrais|veux|voudrais" "peux|pourrais|veux|voudrais ~1 tu" "vous ~1 pouvez|pourriez|voulez" "pouvez|pourriez|voulez ~1 vous"
 "gères|geres|occupes"
 "puedes|podrías|podrias|podéis|encargas|ocupas" "puede|podría usted|ud" "usted|ud puede|podría"
 "puoi|potresti|pensi|riesci|occupi" "lei può|potrebbe"
 "podes|podias|consegues|tratas" "você|voce|vc pode|poderia|consegue"
 "kun|kunt|kan|zou|wil|regel je|jij|u|jullie"
 "możesz|mozesz|mógłbyś|mogłabyś|moglbys|moglabys|zrobisz|ogarniesz|załatwisz|zalatwisz|zajmiesz|dasz" "może pan|pani"
 "můžeš|můžete|zařídíš|zaridis|uděláš|udelas|zvládneš|postaráš" "mohl|mohla|mohli bys|byste"
 "kan|skulle|hinner|orkar|fixar|ordnar|gider|vil|kunne|klarer|ordner|fikser du|ni|dere|i"
 "voitko|voisitko|hoidatko|ehditkö|tudnád|megcsinálod|elintézed|poți|poti|rezolvi|mısın|misin|musun|müsün|μπορείς|μπορείτε"
 "можешь|можете|сможешь|сделаешь|можеш|зможеш|зробиш" "мог|могла|могли бы ты|вы" "ты|вы ~1 мог|могла|могли")
; verbs, or their beginnings, of who wants to be told, shown or explained something, or has it looked at
(tells
 "sag* vorles* vorlies* erzähl* zusammenfass* erklär* erklaer* erläuter* zeig* übersetz* uebersetz* reinschau* nachschau* anschau* schau*
  reinseh* nachseh* anseh* reinles* durchles* herausfind* rausfind* verrat* prüf* pruef* öffn* oeffn* aufmach* beschreib* vergleich* guck*
  dire dis lire lis lis-* résum* resum* expliqu* traduire tradui* montr* regard* voir vérifi* racont* ouvrir parcour* décri* œil oeil
  decir* contar* contár* leer* leér* explic* traduc* enseñ* mostr* mirar* ver verl* verm* revis* comprob* abrir* vistazo describ*
  dirmi dire legger* riassum* spieg* tradu* occhiata guard* raccont* vedere vederl* controll* aprir* descri*
  dizer* ler lê* contar* traduz* ver vê* olhad* olhar abrir verific* conferir descrev*
  zeggen zeg vertel* lezen lees* voorlez* samenvat* uitleg* vertal* kijk* ernaar* bekijk* toon* tonen controleer* beschrij*
  powiedz* powiesz przeczyta* streści* wytłumacz* wyjaśni* przetłumacz* zerkn* spojrz* obejrz* pokaz* pokaż* sprawdz* zobacz* otworz*
  říct říci řekn* přečí* přečt* ukáz* ukaž* přelož* podív* vysvětl* shrn* shrň* zkontrol* otevř* popsat
  säg* berätt* läs* sammanfatt* översätt* förklar* kolla* kika* titta* visa* öppn* beskriv*
  sige sig fortæll* fortell* læs* oversæt* oversett* forklar* kigg* titte vise vis tjek* sjekk* åbn* åpn* opsummer* oppsummer*
  sanoa kerto* luke* näyttä* kääntää katso* selit* tarkist* avata tiivist* mond* elmond* megmond* olvas* elolvas* felolvas* néz* megnéz*
  mutat* megmutat* fordít* lefordít* elmagyaráz* összefoglal* ellenőr* spun* spui cit* expli* arăt* arăț* uit* uiți traduc* traduci rezum*
  söyle* anlat* oku* bak* çevir* özet* göster* açıkla* πεις πείτε διαβάσ* δείξ* εξηγήσ* μεταφράσ* δεις κοιτάξ* ματιά ελέγξ* ανοίξ* συνοψίσ*
  сказ* прочит* прочес* прочт* расска* пересказ* показ* перевес* перевед* посмотр* глян* взглян* объясн* провер* найти откры*
  розпов* поясн* переклас* переклад* подив* перевір* знайти відкр*")

; what one asks for who hands it over
(delegations
 "was|alles ~6 steht|stehen|geschrieben|aufgeschrieben|notiert|hinterlassen|schreibt|verlangt|vermerkt|sagt|will|möchte|braucht|empfiehlt|bittet"
 "wie ~4 steht|beschrieben|geschrieben|besprochen|notiert|vorgegeben" "nach|laut|gemäß|gemaess|entsprechend ~4 liste|zettel|plan|anleitung|notiz|notizen|vorgabe|vorgaben|anweisung|anweisungen|protokoll|checkliste|mail|ticket"
 "arbeite|arbeiten|arbeitet|geh|gehe|setz|setze|mach|mache|machen|erledige|erledigen|erledigt ~5 liste|mängelliste|maengelliste|checkliste|aufgaben|punkte|zettel|änderungen|korrekturen|kommentare|anmerkungen|ticket"
 "ce qu|que|qu'il|qu'elle ~1 dit|disent|demande|demandent|indique|explique|veut|conseille|propose|écrit|noté" "comme ~3 décrit|indiqué|écrit|noté|demandé|prévu" "selon|suivant|d'après ~4 liste|note|notes|consignes|instructions|procédure|fiche|mot|mail|ticket|cahier"
 "fais|faites|applique|appliquez|suis|suivez|traite|traitez ~4 liste|consignes|instructions|procédure|fiche|ticket|remarques|corrections|tâches|étapes|mot|note"
 "lo que ~1 dice|pone|pide|piden|dicen|indica|quiere|escribió|ponga|diga|pida|recomienda|necesita|apuntó|dejó" "según|segun|siguiendo ~4 lista|nota|notas|instrucciones|hoja|ticket|correo|cuaderno|procedimiento|guía|guia"
 "haz|hazme|sigue|aplica|resuelve|ocúpate|encárgate|completa ~4 lista|tareas|instrucciones|cambios|correcciones|pasos|ticket|nota|apuntado"
 "quello|ciò che ~1 dice|chiede|vuole|serve|scritto|indica|consiglia|segnato" "secondo|seguendo ~4 lista|nota|note|istruzioni|scheda|ticket|mail|procedura|foglio"
 "fai|segui|applica|esegui|sistema|completa ~4 lista|istruzioni|compiti|modifiche|correzioni|passi|ticket|commenti|biglietto"
 "o que ~1 diz|pede|está|esta|manda|quer|escreveu|recomenda|precisa|deixou" "segundo|conforme|seguindo ~4 lista|nota|notas|instruções|folha|ticket|email|caderno|procedimento|guia"
 "faz|faça|siga|segue|aplica|aplique|resolve|resolva ~4 lista|instruções|tarefas|alterações|correções|passos|ticket|recado"
 "wat ~5 staat|schrijft|vraagt|wil|opgeschreven|geschreven|zegt|adviseert|opschrijft|nodig" "volgens ~4 lijst|briefje|notitie|notities|instructies|schema|ticket|mail|schrift|handleiding"
 "doe|werk|volg|verwerk|handel ~4 lijst|lijstje|taken|instructies|wijzigingen|opmerkingen|stappen|ticket|briefje|punten"
 "to|wszystko co ~5 napisał|napisała|jest|pisze|prosi|chce|zostawił|zostawiła|mówi|zaleca|potrzebuje" "według|wedlug|zgodnie ~5 listy|listą|notatki|notatką|instrukcji|instrukcją|kartki|zaleceń|zaleceniami|maila|zgłoszenia"
 "zrób|zrob|wykonaj|załatw|zalatw ~4 listy|listę|zadania|zalecenia|poprawki|kroki|kartce|zgłoszenie|punkty"
 "co ~5 píše|stojí|napsal|napsala|chce|žádá|říká|doporučuje|potřebuje" "podle ~4 seznamu|pokynů|poznámek|rozpisu|mailu|návodu" "udělej|zařiď|vyřiď ~4 seznam|úkoly|změny|pokyny|ticket"
 "det|allt som ~2 står|säger|skriver|vill|behöver" "enligt ~4 listan|lappen|anteckningarna|instruktionerna|mejlet|ärendet" "gör|följ|fixa ~4 listan|uppgifterna|ändringarna|instruktionerna|punkterna|ärendet")
(not-delegations "ce que veut|demande|disent ~8 ?")

; kinds of texts, by the words of several languages, or their beginnings: who writes Turkish has tools with English names
(texts
 "note notes notebook logbook journal notiz* zettel* heft heftchen cahier* carnet* nota notas cuadern* libret* quadern* appunt* cadern*
  notiti* schrift* briefj* notat* zeszyt* poznám* sešit* anteckning* lapp* defter* notlar* 노트* 메모* ノート* メモ* 笔记* заметк* тетрад* журнал*"
 "mail mails email emails inbox e-mail* correo* courriel* posta postası postayı poczt* 메일* メール* 邮件* почт* письм* eposta* mejl* brev brevet lettre* carta* lettera*"
 "chat chats group groups thread threads channel gruppe* groupe* grupo* gruppo* groep* grup* skupin* 그룹* 단톡* グループ* 群* групп* чат*
  message messages nachricht* mensaje* messaggi* mensage* bericht* wiadomoś* zpráv* meddeland* mesaj* 메시지* メッセージ* сообщен*"
 "list lists liste* lista* elenc* lijst* seznam* 목록* リスト* 清单* 名单* список* списк*"
 "sheet sheets table tables tabell* tabelle* tableau* hoja* foglio* planilh* bladet blaadje* arkusz* tabulk* 시트* 表* таблиц* tablo*"
 "doc docs document documents file files dokument* documento* belge* dosya* 문서* 書類* 文档* документ* datei* fichier* archivo* arquivo* plik*"
 "minutes protocol protocols protokoll* compte-rendu* acta* verbale* notul* protokół* protokol* zápis* 회의록* 議事録* 纪要* протокол* tutanak*"
 "ticket tickets issue issues case cases anfrage* zgłosz* požadav* ärende* заявк* talep*"
 "board boards tablic* nástěn* tafel* tableau* bacheca* tablón* prikbord* 게시판* 掲示板* доск* pano*"
 "photo photos image scan foto* zdjęci* fotk* 사진* 写真* 照片* фото*")
