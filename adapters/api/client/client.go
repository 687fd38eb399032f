// Package client speaks package api with a daemon, for programs in Go: the hooks of coding
// agents and the MCP proxy. It needs the standard library alone, because a hook has to start
// fast.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// ErrAbsent says that no daemon serves the socket.
var ErrAbsent = errors.New("no daemon serves this socket")

// Refused is the error of a request that a daemon answered and did not do.
type Refused struct {
	Status int    // of HTTP
	Text   string // what, where, and what would be right
}

// Error implements error.
func (r *Refused) Error() string { return r.Text }

// Client talks to one daemon. It is safe for concurrent use.
type Client struct {
	socket string
	http   http.Client
}

// New returns a client of the daemon whose API is served at socket. It does not connect
// yet.
func New(socket string) *Client {
	c := &Client{socket: socket}
	c.http.Transport = &http.Transport{DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			nc, err := d.DialContext(ctx, "unix", socket)
			for late := time.Now().Add(inLine); errors.Is(err, syscall.EAGAIN) && time.Now().Before(late); {
				time.Sleep(time.Millisecond) // more programs connect than the daemon has looked at
				nc, err = d.DialContext(ctx, "unix", socket)
			}
			if err != nil && ctx.Err() == nil {
				err = errors.Join(fmt.Errorf("%s: %w", socket, ErrAbsent), err)
			}
			return nc, err
		}}
	return c
}

// inLine is how long a client tries to connect where very many do.
const inLine = 5 * time.Second

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Request is one call that a host is about to run.
type Request struct {
	Session     string // the host's own id of the conversation
	Host        string // the kind of host: "claude", "codex", "mcp"
	Partial     bool   // the caller does not report every result
	Call        string // the host's id of the call, "" if it has none
	Tool        string
	Args        json.RawMessage // an object
	Explanation string
	Project     []string      // the folders that the host names as its project
	Hold        time.Duration // how long to wait for people if the decision asks; 0 not at all
	Withdraw    bool          // take the card back if this client hangs up while people are asked
}

// Reason is why a call is not allowed as it stands, as a model may read it.
type Reason struct {
	Key       string `json:"key"`
	Text      string `json:"text"`
	Retryable bool   `json:"retryable"`
}

// Ruling is the decision on a call. Only after "allow" may it run, once, with Args; then
// Finish must follow.
type Ruling struct {
	Kind      string // "allow", "ask", "deny"
	Key       string // the rule that decided
	Reasons   []Reason
	Tool      string
	Args      json.RawMessage // exactly as allowed, or as asked about
	Rewritten bool            // Args differ from those of the request
	Token     string          // of the card, for "ask"
	Record    uint64          // the decision's number in the journal
	Intent    uint64          // open after "allow"
	Key2      string          // the idempotency key
	Digest    string          // of the action
	Policy    string          // digest of the rules in force
}

// Text joins the reasons for a model.
func (r *Ruling) Text() string {
	texts := make([]string, 0, len(r.Reasons))
	for _, w := range r.Reasons {
		texts = append(texts, w.Text+" ("+w.Key+")")
	}
	if len(texts) == 0 {
		return r.Kind + " by " + r.Key
	}
	return strings.Join(texts, "; ")
}

// Outcome is how a call ended.
type Outcome struct {
	State  string          // "done", "failed", "nothing", "unknown"
	Result json.RawMessage // what the tool returned; nil for none
	Text   string          // the same, where there is no JSON
	Error  string
	Cut    bool // the model read more than this holds
}

type session struct {
	ID      string `json:"id"`
	Host    string `json:"host,omitempty"`
	Partial bool   `json:"partial,omitempty"`
}

type action struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
}

// question is what Judge and Decide send.
type question struct {
	Session     session  `json:"session"`
	Action      action   `json:"action"`
	Explanation string   `json:"explanation,omitempty"`
	Project     []string `json:"project,omitempty"`
	Call        string   `json:"call,omitempty"`
	Hold        int      `json:"hold,omitempty"`
	Withdraw    bool     `json:"withdraw,omitempty"`
}

func (r *Request) question() question {
	return question{Session: session{r.Session, r.Host, r.Partial}, Action: action{r.Tool, r.Args},
		Explanation: r.Explanation, Project: r.Project}
}

// Judge has the daemon decide, wait for people at most Hold, and open the intent. Any error
// means no.
func (c *Client) Judge(ctx context.Context, r Request) (Ruling, error) {
	in := r.question()
	in.Call, in.Hold, in.Withdraw = r.Call, int(r.Hold/time.Second), r.Withdraw
	out, err := c.rule(ctx, "/v1/judge", in)
	if err == nil && out.Kind == "allow" && (out.Intent == 0 || out.Tool == "") {
		return Ruling{}, errors.New("the daemon allows without an intent; nothing may be run on that")
	}
	return out, err
}

// Decide has the daemon decide and record it, and does not wait for people. Nothing may be
// run on the answer: it has no intent. Call, Hold and Withdraw of the request do not matter.
func (c *Client) Decide(ctx context.Context, r Request) (Ruling, error) {
	return c.rule(ctx, "/v1/decide", r.question())
}

// ruled is a ruling as the daemon sends it.
type ruled struct {
	Decision  string   `json:"decision"`
	Key       string   `json:"key"`
	Reasons   []Reason `json:"reasons"`
	Action    *action  `json:"action"`
	Digest    string   `json:"digest"`
	Policy    string   `json:"policy"`
	Record    uint64   `json:"record"`
	Approval  string   `json:"approval"`
	Rewritten bool     `json:"rewritten"`
	Intent    uint64   `json:"intent"`
	Key2      string   `json:"idempotency_key"`
}

func (c *Client) rule(ctx context.Context, path string, in question) (Ruling, error) {
	var out ruled
	if err := c.post(ctx, path, in, &out); err != nil {
		return Ruling{}, err
	}
	return out.ruling()
}

func (out *ruled) ruling() (Ruling, error) {
	if out.Decision != "allow" && out.Decision != "ask" && out.Decision != "deny" {
		return Ruling{}, fmt.Errorf("the daemon decided %.40q, expected allow, ask or deny", out.Decision)
	}
	ruling := Ruling{Kind: out.Decision, Key: out.Key, Reasons: out.Reasons, Rewritten: out.Rewritten, Token: out.Approval,
		Record: out.Record, Intent: out.Intent, Key2: out.Key2, Digest: out.Digest, Policy: out.Policy}
	if out.Action != nil {
		ruling.Tool, ruling.Args = out.Action.Tool, out.Action.Args
	}
	return ruling, nil
}

// Finish says how a call ended: the one with this intent, or with this id if intent is 0.
func (c *Client) Finish(ctx context.Context, host, id, call string, intent uint64, o Outcome) error {
	return c.post(ctx, "/v1/finish", struct {
		Session session         `json:"session"`
		Intent  uint64          `json:"intent,omitempty"`
		Call    string          `json:"call,omitempty"`
		State   string          `json:"state"`
		Result  json.RawMessage `json:"result,omitempty"`
		Text    string          `json:"text,omitempty"`
		Error   string          `json:"error,omitempty"`
		Cut     bool            `json:"cut,omitempty"`
	}{session{ID: id, Host: host}, intent, call, o.State, o.Result, o.Text, o.Error, o.Cut}, nil)
}

type words struct {
	Session session `json:"session"`
	Text    string  `json:"text"`
	Name    string  `json:"name,omitempty"`
}

// Words reports what the person typed. The daemon says whether it counts as the user's
// words.
func (c *Client) Words(ctx context.Context, host, id, text string) (users bool, err error) {
	var out struct {
		User bool `json:"user"`
	}
	err = c.post(ctx, "/v1/words", words{Session: session{ID: id, Host: host}, Text: text}, &out)
	return out.User, err
}

// Read reports a text that the model read besides messages and results.
func (c *Client) Read(ctx context.Context, host, id, name, text string) error {
	return c.post(ctx, "/v1/read", words{Session: session{ID: id, Host: host}, Name: name, Text: text}, nil)
}

// Withdraw takes back a card of the session.
func (c *Client) Withdraw(ctx context.Context, host, id, token string) error {
	return c.post(ctx, "/v1/withdraw", struct {
		Session session `json:"session"`
		Token   string  `json:"token"`
	}{session{ID: id, Host: host}, token}, nil)
}

// Answer is how a card stands.
type Answer struct {
	State string `json:"state"` // pending, approved, denied, ...
	Why   string `json:"why"`   // what the person who denied it said
}

// Answered waits at most hold until people have answered a card.
func (c *Client) Answered(ctx context.Context, token string, hold time.Duration) (a Answer, err error) {
	path := fmt.Sprintf("/v1/cards/%s?hold=%d", url.PathEscape(token), max(1, int(hold/time.Second)))
	return a, c.send(ctx, http.MethodGet, path, nil, &a)
}

// End says that a session, or the model's turn in it, is over: calls that are open have no
// result that anybody knows.
func (c *Client) End(ctx context.Context, host, id string) error {
	return c.post(ctx, "/v1/end", struct {
		Session session `json:"session"`
	}{session{ID: id, Host: host}}, nil)
}

// Capability is a tested plan that is called as a tool, and that the daemon runs.
type Capability struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // of the arguments: JSON Schema
}

// Capabilities returns the capabilities that may be started, and the version of the list. While the list is
// that of since, it waits for another one, at most hold.
func (c *Client) Capabilities(ctx context.Context, since string, hold time.Duration) ([]Capability, string, error) {
	var out struct {
		Version      string       `json:"version"`
		Capabilities []Capability `json:"capabilities"`
	}
	path := "/v1/capabilities"
	if hold > 0 {
		path += fmt.Sprintf("?since=%s&hold=%d", url.QueryEscape(since), max(1, int(hold/time.Second)))
	}
	var all []Capability
	version := ""
	for path != "" {
		head, err := c.exchange(ctx, http.MethodGet, path, nil, &out)
		if err != nil {
			return nil, "", err
		}
		if all = append(all, out.Capabilities...); version == "" {
			version = out.Version // a caller that waits for another list hears of one that came between two pages
		}
		out.Capabilities, path = nil, nextPage(head)
	}
	return all, version, nil
}

// nextPage is the path of the page behind one that has this header, "" for none.
func nextPage(h http.Header) string {
	to, rel, _ := strings.Cut(h.Get("Link"), ";")
	if strings.TrimSpace(rel) != `rel="next"` {
		return ""
	}
	return strings.Trim(to, "<> ")
}

// Call has the daemon judge a call of a capability, wait for people at most Hold, and run it. The outcome is
// zero unless the ruling allows: then nothing has run. After an error it is not known whether it has run.
func (c *Client) Call(ctx context.Context, r Request) (Ruling, Outcome, error) {
	in := r.question()
	in.Call, in.Hold, in.Withdraw = r.Call, int(r.Hold/time.Second), r.Withdraw
	var out struct {
		ruled
		State  string          `json:"state"`
		Result json.RawMessage `json:"result"`
		Text   string          `json:"text"`
		Error  string          `json:"error"`
	}
	if err := c.post(ctx, "/v1/call", in, &out); err != nil {
		return Ruling{}, Outcome{}, err
	}
	ruling, err := out.ruling()
	if err == nil && ruling.Kind == "allow" && out.State == "" {
		err = errors.New("the daemon allows a capability and does not say how it ended")
	}
	return ruling, Outcome{State: out.State, Result: out.Result, Text: out.Text, Error: out.Error}, err
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 20

func (c *Client) post(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return c.send(ctx, http.MethodPost, path, body, out)
}

func (c *Client) send(ctx context.Context, method, path string, body []byte, out any) error {
	_, err := c.exchange(ctx, method, path, body, out)
	return err
}

// exchange sends a request, reads its answer into out and returns the answer's header.
func (c *Client) exchange(ctx context.Context, method, path string, body []byte, out any) (http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://cortex"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	err = errors.Join(err, res.Body.Close())
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		var failure struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(text, &failure) != nil || failure.Error == "" {
			failure.Error = "the daemon answered " + res.Status
		}
		return nil, &Refused{Status: res.StatusCode, Text: failure.Error}
	}
	if out == nil {
		return res.Header, nil
	}
	return res.Header, json.Unmarshal(text, out)
}
