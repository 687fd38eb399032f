package draft

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// An effect that a name or a description says in other than its first words is none the less one.
func TestEffectsThatAreNotSaidFirst(t *testing.T) {
	l, err := lexicon.Load(lexicon.File{Name: "english.lisp", Text: lexicon.English()})
	require.NoError(t, err)
	for _, c := range []struct {
		name, doc, param string
		want             lexicon.Class
	}{
		{"calculate_fare", "Calculates the fare and charges it", "trip", lexicon.Pay},
		{"scan_code", "Scan a code and pay", "picture", lexicon.Pay},
		{"wait", "Waits for approval, then pays", "bill", lexicon.Pay},
		{"lookup", "Looks up and invites a colleague", "name", lexicon.Grant},
		{"trace", "Traces and blocks a card", "card", lexicon.Delete},
		{"history", "Clears the history", "day", lexicon.Delete},
		{"status", "Sets the status of an order", "order", lexicon.Update},
		{"reports", "Reports an incident to the police", "incident", lexicon.Comm},
		{"compare_notes", "Compares two notes. The older one is removed.", "a", lexicon.Delete},
		{"folder_size", "Returns the number of files that it deleted.", "folder", lexicon.Delete},
		{"fare_balance", "Returns the balance after charging the card.", "card", lexicon.Pay},
		{"open_gate", "Opens the gate", "gate", lexicon.Grant},
		{"messages", "Messages to guests", "guest", lexicon.Comm},
		{"door_code", "Door code for guests", "guest", lexicon.Comm},
		{"visit_cancellation", "Cancellation of the visit", "visit", lexicon.Delete},
		{"invitation", "Invitation to the team", "name", lexicon.Grant},
	} {
		d := Of(l, c.name, c.doc, []Param{{Name: c.param, Type: "string"}})
		assert.False(t, d.Read, "%s: %s", c.name, c.doc)
		assert.NotZero(t, d.Classes&c.want, "%s: %s", c.name, c.doc)
	}
	for name, doc := range map[string]string{
		"stock_level": "Stock level per shelf and bin.", "bill_check": "Shows whether the bill is charged.",
		"get_picture": "Return the bytes of a picture.", "messages": "Messages of a day",
		"lint_plan":     "Check a plan and return the errors. Nothing is saved.",
		"list_messages": "Lists messages to members", "door_log": "Log of the door.",
	} {
		assert.True(t, Of(l, name, doc, []Param{{Name: "day", Type: "string"}}).Read, "%s: %s", name, doc)
	}
}

// Who gets it is strong under any number of theirs, and so is the word of a password or a right.
func TestNumbersOfThoseWhoGetIt(t *testing.T) {
	l, err := lexicon.Load(lexicon.File{Name: "english.lisp", Text: lexicon.English()})
	require.NoError(t, err)
	for _, c := range []struct{ name, doc, param string }{
		{"move_funds", "Move funds", "to_id"}, {"payout", "Pay out", "winner_id"}, {"notify", "Notify a tenant", "tenant_no"},
		{"refund", "Refund an order", "destination_ref"}, {"fax_send", "Send a fax", "number"},
		{"calls_forward", "Forward calls", "number"}, {"delegate_votes", "Delegate votes", "successor_id"},
		{"reset_password", "Reset a password", "value"}, {"set_role", "Set a role", "level"},
	} {
		d := Of(l, c.name, c.doc, []Param{{Name: c.param, Type: "string"}})
		assert.True(t, d.Roles[c.param].Strong() || d.Roles[c.param] == lexicon.NoRole, "%s :%s %v", c.name, c.param, d.Roles)
	}
	reply := Of(l, "send_mail", "Send a mail", []Param{{Name: "reply_to_message_id", Type: "string"}})
	assert.Equal(t, lexicon.ID, reply.Roles["reply_to_message_id"])
	assert.NotPanics(t, func() { Of(l, "send", "Send", []Param{{Name: "_", Type: "string"}, {Name: "", Type: "string"}}) })
}

// Nor is one in another language, be it known or not.
func TestEffectsInOtherLanguages(t *testing.T) {
	l, err := lexicon.Load(lexicon.File{Name: "english.lisp", Text: lexicon.English()})
	require.NoError(t, err)
	for _, c := range [][3]string{
		{"poista", "Poistaa tietueen", "tietue"}, {"maksu", "Maksu toimittajalle", "saaja"},
		{"oplata", "Оплата счёта", "schet"}, {"udalit", "Удаляет запись", "zapis"},
		{"schluessel", "Schlüssel für den Gast", "gast"},
		{"busca", "Busca duplicados y los borra.", "carpeta"}, {"pruefen", "Prüft und löscht alte Dateien.", "ordner"},
		{"consulter", "Consulte une facture et la règle.", "facture"},
		{"durum_guncelle", "Siparişin durumunu günceller.", "siparis"}, {"takvim_temizle", "Takvimi boşaltır.", "kisi"},
		{"bul_ve_sil", "Kayıtları bulur.", "kayit"}, {"bulk_archive", "Arsiv icin toplu", "id"},
		{"okul_kapat", "Okulu kapatır", "okul"},
		{"fichar", "", "empleado"}, {"ficha_cerrar", "", "id"}, {"aktenvernichtung", "", "id"},
	} {
		assert.False(t, Of(l, c[0], c[1], []Param{{Name: c[2], Type: "string"}}).Read, "%s: %s", c[0], c[1])
	}
	for _, c := range [][3]string{
		{"historial", "Historial de un paciente.", "paciente"}, {"suchen", "Sucht Dateien und Ordner.", "begriff"},
		{"shelf_level", "Shelf level", "shelf"},
	} {
		assert.True(t, Of(l, c[0], c[1], []Param{{Name: c[2], Type: "string"}}).Read, "%s: %s", c[0], c[1])
	}
}
