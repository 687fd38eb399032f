package signal_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/signal/signaltest"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

const (
	family = "ZmFtaWx5"
	thumb  = "\U0001f44d"
)

// asksFor is a model that wants what it is told.
type asksFor struct{}

func (asksFor) Name() string { return "model" }

func (asksFor) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	last := p.Messages[len(p.Messages)-1]
	if last.Role != model.RoleUser || !strings.HasPrefix(last.Text, "do ") {
		return model.Completion{Text: "well"}, nil
	}
	return model.Completion{Text: `(:type :request :payload (:tool "risky" :args (:what ` + strconv.Quote(last.Text) +
		`)))`}, nil
}

// object is a part of what signal-cli hands over.
type object = map[string]any

// with is an object with other fields.
func with(o object, more object) object {
	out := maps.Clone(o)
	maps.Copy(out, more)
	return out
}

// forgeries are envelopes that say yes to a card of ben's, and are not ben who says it
// there: an id that is not quite his, another chat or card, words and signs that are no
// answer, envelopes of another kind. sent is when the card was sent, other when another
// was.
func forgeries(token string, sent, other int64) map[string]object {
	group := object{"groupId": family, "type": "DELIVER"}
	reaction := object{"emoji": thumb, "targetAuthor": signaltest.UUID, "targetAuthorUuid": signaltest.UUID,
		"targetSentTimestamp": sent, "isRemove": false}
	quote := object{"id": sent, "author": signaltest.UUID, "authorUuid": signaltest.UUID, "text": "a card"}
	answers := map[string]object{
		"reacts":   {"reaction": reaction, "groupInfo": group},
		"quotes":   {"message": "yes", "quote": quote, "groupInfo": group},
		"commands": {"message": "/approve " + token, "groupInfo": group},
	}
	out := map[string]object{}
	from := func(name string, data object) {
		out[name] = object{"sourceUuid": ben, "sourceName": "Ben", "sourceDevice": 1, "dataMessage": data}
	}
	for name, id := range map[string]any{
		"somebody else": stranger, "a prefix": ben[:35], "more": ben + "0", "a blank": ben + " ", "a blank before": " " + ben,
		"braces": "{" + ben + "}", "a urn": "urn:uuid:" + ben,
		"without dashes": strings.ReplaceAll(ben, "-", ""), "full width": strings.ReplaceAll(ben, "2", "\uff12"),
		"zero width": ben[:8] + "\u200b" + ben[8:], "a phone number's": "PNI:" + ben,
		"a name": "Ben", "a number": "+1555" + ben[:4], "nothing": "", "null": nil, "a list": []string{ben},
		"an object": object{"uuid": ben}, "an integer": 22222222, "the bot's": signaltest.UUID,
		"a line break": ben + "\n", "two": ben + "," + stranger, "another version": strings.Replace(ben, "-4", "-1", 1),
	} {
		for how, data := range answers {
			out["id: "+name+", "+how] = object{"sourceUuid": id, "source": ben, "sourceNumber": "+1555" + ben[:4],
				"sourceName": "Ben", "dataMessage": data}
		}
	}
	for name, g := range map[string]any{
		"none": nil, "another": object{"groupId": "c3RyYW5nZXJz"}, "empty": object{"groupId": ""},
		"other case": object{"groupId": strings.ToUpper(family)}, "a prefix": object{"groupId": family[:7]},
		"padded": object{"groupId": family + "="}, "by name": object{"groupName": family}, "null": object{"groupId": nil},
	} {
		from("chat: "+name+", reacts", with(answers["reacts"], object{"groupInfo": g}))
		from("chat: "+name+", quotes", with(answers["quotes"], object{"groupInfo": g}))
	}
	for name, o := range map[string]object{
		"taken back": {"isRemove": true}, "to ben": {"targetAuthorUuid": ben},
		"to a stranger": {"targetAuthorUuid": stranger}, "to nobody": {"targetAuthorUuid": nil},
		"to a number":    {"targetAuthorUuid": "", "targetAuthorNumber": signaltest.Number},
		"a moment later": {"targetSentTimestamp": sent + 1}, "a moment before": {"targetSentTimestamp": sent - 1},
		"never sent": {"targetSentTimestamp": 0}, "before all": {"targetSentTimestamp": -sent},
		"to ann's card":     {"targetSentTimestamp": other},
		"a text for a time": {"targetSentTimestamp": strconv.FormatInt(sent, 10)}, "a heart": {"emoji": "\u2764"},
		"a fist": {"emoji": "\U0001f44a"}, "ok": {"emoji": "\U0001f44c"},
		"a check mark": {"emoji": "\u2705"}, "a word": {"emoji": "yes"}, "no sign": {"emoji": ""},
		"a heart and a thumb": {"emoji": "\u2764" + thumb}, "a joined thumb": {"emoji": "\u200d" + thumb},
		"a skin alone": {"emoji": "\U0001f3fd"},
	} {
		from("reaction: "+name, object{"groupInfo": group, "reaction": with(reaction, o)})
	}
	for name, o := range map[string]object{
		"of ben": {"authorUuid": ben}, "of a stranger": {"authorUuid": stranger}, "of nobody": {"authorUuid": nil},
		"a moment later": {"id": sent + 1}, "of ann's card": {"id": other}, "of nothing": {"id": 0}, "of text": {"id": token},
	} {
		from("quote: "+name, object{"groupInfo": group, "message": "yes", "quote": with(quote, o)})
	}
	for _, text := range []string{"", "y", "ok", "yess", "yes please", "yes and no", "approve all", "approve " + token,
		"aye", thumb, "\u200byes", "ye\u0301s", "уes", "ｙｅｓ", "nyes", "> yes", "\"yes\"", "1"} {
		from("quote: says "+strconv.Quote(text), object{"groupInfo": group, "message": text, "quote": quote})
	}
	for kind, e := range map[string]object{
		"edited":                     {"editMessage": object{"targetSentTimestamp": 1, "dataMessage": answers["commands"]}},
		"of a linked device":         {"syncMessage": object{"sentMessage": answers["commands"]}},
		"a linked device's reaction": {"syncMessage": object{"sentMessage": answers["reacts"]}},
		"read":                       {"receiptMessage": object{"isRead": true, "timestamps": []int64{sent}}},
		"typing":                     {"typingMessage": object{"action": "STARTED"}},
		"a story": {"storyMessage": object{"allowsReplies": true,
			"textAttachment": object{"text": "/approve " + token}}},
		"a call": {"callMessage": object{}}, "no message": {}, "empty": {"dataMessage": nil},
	} {
		out["kind: "+kind] = with(e, object{"sourceUuid": ben})
	}
	return out
}

// None of these is ben's yes to his card, and nothing runs for them; what he says himself
// counts, before and after them.
func TestThreat_ForgedIdentitiesApproveNothing(t *testing.T) {
	d := daemon(t, "unix", filepath.Join(t.TempDir(), "s"))
	var ran atomic.Int64
	engine, err := cortex.Open(t.Context(), cortex.Options{
		Live: true, Models: cortex.Models{Providers: []model.Provider{asksFor{}}},
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte(
			"(deftool risky :params (:what string) :tier :ask :effect :external)")}},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "risky"},
			Actuator: act.Func(func(context.Context, act.Call) (act.Receipt, error) {
				ran.Add(1)
				return act.Receipt{State: act.Done}, nil
			})}},
	})
	require.NoError(t, err)
	g := gateway(t, d)
	bridge, err := gateways.New(gateways.Options{Engine: engine, Gateways: []gateways.Gateway{g},
		Backoff: time.Millisecond, Accounts: []gateways.Account{
			{Gateway: g.Name(), User: ann, Chat: ann, Principal: "ann", Classes: []string{"operator"}},
			{Gateway: g.Name(), User: ben, Chat: "group:" + family, Principal: "ben", Classes: []string{"operator"}},
		}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- bridge.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
		assert.NoError(t, engine.Close())
	})

	// card has ann ask for something, and returns the cards of it, hers and ben's.
	known := map[string]bool{}
	card := func(what string) (token, hers, his string) {
		d.Write(ann, ann, what)
		require.Eventually(t, func() bool {
			for a, err := range engine.Pending(t.Context()) {
				require.NoError(t, err)
				posted, err := engine.Approvals().Postings(a.Token)
				require.NoError(t, err)
				if known[a.Token] || len(posted) != 2 || posted[0].Message == "" || posted[1].Message == "" {
					continue
				}
				if hers, his = posted[0].Message, posted[1].Message; posted[0].Chat != ann {
					hers, his = his, hers
				}
				token, known[a.Token] = a.Token, true
			}
			return token != ""
		}, 20*time.Second, time.Millisecond)
		return token, hers, his
	}
	said := func(n int64, his string) {
		d.React(ben, "group:"+family, his, thumb, signaltest.UUID, false)
		require.Eventually(t, func() bool { return ran.Load() == n }, 20*time.Second, time.Millisecond)
	}
	token, hers, his := card("do it")
	_, _, last := card("do another thing")
	sent, err := strconv.ParseInt(his, 10, 64)
	require.NoError(t, err)
	other, err := strconv.ParseInt(hers, 10, 64)
	require.NoError(t, err)
	forged := forgeries(token, sent, other)
	require.GreaterOrEqual(t, len(forged), 100)
	at := int64(0)
	for _, e := range forged {
		at++
		e["timestamp"] = at
		d.Envelope(e)
	}
	said(1, last) // what came before it has been read
	require.NoError(t, engine.Operations().Wait(t.Context()))
	a, err := engine.Approvals().Get(t.Context(), token)
	require.NoError(t, err)
	assert.Equal(t, cortex.Pending, a.State, fmt.Sprint(a.Slots))
	assert.EqualValues(t, 1, ran.Load())
	t.Logf("RESULT %d forged identities, 0 approvals", len(forged))
	said(2, his)
}
