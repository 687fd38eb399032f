package draft

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
)

// What opens a door, spends, or ends something is grave under any verb; what only counts or tells is not.
func TestStakes(t *testing.T) {
	l, err := lexicon.Load(lexicon.File{Name: "english.lisp", Text: lexicon.English()})
	require.NoError(t, err)
	number := func(name string) Param { return Param{Name: name, Type: "number"} }
	for _, c := range []struct {
		name, doc string
		params    []Param
		want, not lexicon.Class
	}{
		{"gate_set", "Set the yard gate.", []Param{{Name: "state", Type: "string"}}, lexicon.Grant, 0},
		{"keys_release", "Release the keys of a boat.", []Param{{Name: "boat", Type: "string"}}, lexicon.Grant, 0},
		{"cabinet_release", "Releases medicine for collection.", []Param{{Name: "for", Type: "string"}}, lexicon.Grant, 0},
		{"grades_release", "Release the results of a class.", []Param{{Name: "class", Type: "string"}}, 0, lexicon.Grant},
		{"share_link", "Turns on the link.", []Param{{Name: "role", Type: "string"}}, lexicon.Grant, 0},
		{"roster_request", "Ask for hands.", []Param{{Name: "role", Type: "string"}, number("count")}, 0, lexicon.Grant},
		{"vault_read", "Read a secret.", []Param{{Name: "path", Type: "string"}}, lexicon.Grant, 0},
		{"vault_list", "List the names of secrets.", []Param{{Name: "path", Type: "string"}}, 0, lexicon.Grant},
		{"clientes.clave", "Da la clave", []Param{{Name: "id", Type: "string"}}, lexicon.Grant, 0},
		{"invitados.llamada", "Reserva una línea", []Param{{Name: "id", Type: "string"}}, lexicon.Book, lexicon.Grant},
		{"mail.customer", "", []Param{{Name: "text", Type: "string"}}, lexicon.Comm, 0},
		{"delete.message", "", []Param{{Name: "id", Type: "string"}}, lexicon.Delete, lexicon.Comm},
		{"cancel.order", "", []Param{{Name: "id", Type: "string"}}, lexicon.Delete, lexicon.Book},
		{"refund.order", "", []Param{{Name: "id", Type: "string"}}, lexicon.Pay, 0},
		{"pay.status", "", []Param{{Name: "id", Type: "string"}}, lexicon.Pay, 0},
		{"order_place", "Order goods.", []Param{{Name: "supplier", Type: "string"}}, lexicon.Pay, 0},
		{"month_lock", "Lock a month of the books.", []Param{{Name: "month", Type: "string"}}, 0, lexicon.Grant},
		{"flyer_promote", "Promote a flyer.", []Param{number("weekly_budget")}, lexicon.Pay, 0},
		{"tariff_change", "Change a tariff.", []Param{number("price")}, lexicon.Pay, 0},
		{"hive_weigh", "Record the weight of a hive.", []Param{number("kilos")}, 0, lexicon.Pay},
		{"set_shop_status", "Open or close the shop.", []Param{{Name: "open", Type: "boolean"}}, lexicon.Delete, 0},
		{"class_reset", "Reset a class.", []Param{{Name: "class", Type: "string"}}, lexicon.Delete, 0},
		{"entry_withdraw", "Withdraw an entry.", []Param{{Name: "entry", Type: "string"}}, lexicon.Delete, 0},
	} {
		got := Of(l, c.name, c.doc, c.params).Classes
		assert.Equal(t, c.want, got&c.want, c.name)
		assert.Zero(t, got&c.not, c.name)
	}
}

// A room is somebody where something is told there, and a place elsewhere.
func TestRooms(t *testing.T) {
	l, err := lexicon.Load(lexicon.File{Name: "english.lisp", Text: lexicon.English()})
	require.NoError(t, err)
	room := []Param{{Name: "room", Type: "string"}, {Name: "text", Type: "string"}}
	assert.Equal(t, lexicon.Principal, Of(l, "send_message", "Send a message.", room).Roles["room"])
	assert.Equal(t, lexicon.Object, Of(l, "create_defect", "Create a defect.", room).Roles["room"])
}
