package provenance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var english = DefaultLexicon()

// The tools of the sessions in these tests.
var (
	readFile = &Tool{Name: "read_file", Read: true, Verb: "read", Nouns: []string{"file"},
		Roles: map[string]Role{"path": Object}}
	inbox  = &Tool{Name: "read_inbox", Read: true, Verb: "read", Nouns: []string{"inbox"}}
	search = &Tool{Name: "search_contacts", Read: true, Verb: "search", Nouns: []string{"contacts"}}
	own    = &Tool{Name: "own_account", Read: true, Verb: "get", Nouns: []string{"account"}, Output: TrustedOutput,
		Fields: map[string]bool{"ref": false}}
	mailbox = &Tool{Name: "get_mail", Read: true, Verb: "get", Nouns: []string{"mail"}, Output: Mixed,
		Fields: map[string]bool{"from": true}}
	webpage = &Tool{Name: "get_webpage", Read: true, Verb: "get", Nouns: []string{"webpage"},
		Roles: map[string]Role{"url": Net}}
	sendMail = &Tool{Name: "send_email", Classes: Comm, Verb: "send", Nouns: []string{"email"},
		Roles: map[string]Role{"to": Principal, "body": Content, "subject": Content}}
	pay = &Tool{Name: "send_money", Classes: Pay, Verb: "send", Nouns: []string{"money"},
		Roles: map[string]Role{"recipient": Principal, "amount": Amount, "date": Time}}
	addContact = &Tool{Name: "add_contact", Classes: Create, Verb: "add", Nouns: []string{"contact"},
		Roles: map[string]Role{"name": Object, "email": Principal}}
	deleteFile = &Tool{Name: "delete_file", Classes: Delete, Verb: "delete", Nouns: []string{"file"},
		Roles: map[string]Role{"id": ID}}
	invite = &Tool{Name: "invite_user", Classes: Grant, Verb: "invite", Nouns: []string{"user"},
		Roles: map[string]Role{"user": Principal}}
	bash = &Tool{Name: "bash", Classes: Run, Verb: "run", Nouns: nil, Roles: map[string]Role{"command": Code},
		Output: TrustedOutput}
	tools = []*Tool{readFile, inbox, search, own, mailbox, webpage, sendMail, pay, addContact, deleteFile, invite,
		bash}
)

// session is an index that tests fill by hand.
type session struct {
	*Index
	t *testing.T
	n Ref
}

func begin(t *testing.T, lim ...Limits) *session {
	return &session{New(english, tools, append(lim, Limits{})[0]), t, 0}
}

func (s *session) says(text string) *session {
	s.n++
	s.User(s.n, Message{Text: text})
	return s
}

func (s *session) calls(tool *Tool, args map[string]any, result any) *session {
	s.n++
	s.Call(s.n, Call{Tool: tool.Name, Args: args, Result: result})
	return s
}

func (s *session) reads(result any) *session { return s.calls(inbox, nil, result) }

// on is the view on a call of a tool.
func (s *session) on(tool *Tool, args map[string]any) *View {
	return s.For(Action{Tool: tool, Args: args, Cwd: "/w"})
}

// is checks the origin of a value in a role.
func (s *session) is(want Origin, v any, r Role) {
	s.t.Helper()
	got, where, err := s.on(sendMail, nil).OriginAs(v, r)
	assert.Equal(s.t, want, got, "%v as %s: %v %v", v, r, where, err)
	if want == 0 {
		var u Unknown
		assert.ErrorAs(s.t, err, &u)
	} else {
		assert.NoError(s.t, err)
	}
}

// answer checks a question of two values and unknown.
func answer(t *testing.T, want string, yes bool, err error, about ...any) {
	t.Helper()
	got := map[bool]string{true: "yes", false: "no"}[yes]
	if err != nil {
		var u Unknown
		require.ErrorAs(t, err, &u)
		got = "unknown"
	}
	assert.Equal(t, want, got, about...)
}

func (s *session) said(want string, v any) {
	s.t.Helper()
	yes, _, err := s.on(sendMail, nil).Said(v)
	answer(s.t, want, yes, err, v)
}

func (s *session) pointed(want string, v any) {
	s.t.Helper()
	yes, _, err := s.on(sendMail, nil).Pointed(v)
	answer(s.t, want, yes, err, v)
}

func (s *session) fits(want float64, tool *Tool) {
	s.t.Helper()
	got, err := s.on(tool, nil).Fit()
	assert.NoError(s.t, err)
	assert.Equal(s.t, want, got, tool.Name)
}
