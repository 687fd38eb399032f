// Package signaltest is signal-cli's JSON-RPC daemon, as its manual pages
// signal-cli-jsonrpc(5) and signal-cli(1) document it: newline-delimited JSON-RPC
// 2.0 over a Unix socket or TCP, with the methods that a gateway needs. It knows
// which keys people have and have had, refuses what the daemon refuses, and sends
// what it receives in both of the daemon's shapes: with a subscription, as in
// --receive-mode=manual, or by itself.
package signaltest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/gateways/gatewaytest"
)

// Our own account, as the daemon has it.
const (
	Number = "+15550001111"
	UUID   = "00000000-aaaa-4aaa-8aaa-000000000001"
)

// Daemon is a signal-cli daemon with one account.
type Daemon struct {
	// Manual says that messages are sent only to who has subscribed.
	Manual bool

	l  net.Listener
	wg sync.WaitGroup

	mu     sync.Mutex
	conns  map[*client]bool
	clock  int64 // timestamps, which name messages
	shown  map[string][]*message
	people map[string][]identity
	queue  []map[string]any // envelopes that are not delivered yet
	last   map[string]any
	fail   int
	edits  bool // whether messages are young enough to be edited
	closed bool
}

type client struct {
	net.Conn
	write      sync.Mutex
	subscribed int // 0: not; else the subscription's number
	ids        map[string]bool
}

type message struct {
	at     int64
	text   string
	closed bool
}

type identity struct {
	Number      string `json:"number"`
	UUID        string `json:"uuid"`
	Fingerprint string `json:"fingerprint"`
	Safety      string `json:"safetyNumber"`
	Trust       string `json:"trustLevel"`
	Added       int64  `json:"addedTimestamp"`
}

// Listen starts a daemon: network is "unix" or "tcp".
func Listen(network, address string) (*Daemon, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	d := &Daemon{Manual: true, l: l, conns: map[*client]bool{}, clock: 1_700_000_000_000, shown: map[string][]*message{},
		people: map[string][]identity{}, edits: true}
	d.wg.Go(d.accept)
	return d, nil
}

// Addr is where it listens.
func (d *Daemon) Addr() string { return d.l.Addr().String() }

// Close ends the daemon and every connection.
func (d *Daemon) Close() {
	d.mu.Lock()
	d.closed = true
	_ = d.l.Close()
	for c := range d.conns {
		_ = c.Close()
	}
	d.mu.Unlock()
	d.wg.Wait()
}

// HangUp ends every connection, as a restart of the daemon does.
func (d *Daemon) HangUp() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.conns {
		_ = c.Close()
	}
}

func (d *Daemon) accept() {
	for {
		c, err := d.l.Accept()
		if err != nil {
			return
		}
		x := &client{Conn: c, ids: map[string]bool{}}
		d.mu.Lock()
		if d.closed {
			_ = c.Close()
		}
		d.conns[x] = true
		d.mu.Unlock()
		d.wg.Go(func() {
			d.serve(x)
			d.mu.Lock()
			delete(d.conns, x)
			d.mu.Unlock()
		})
		if !d.Manual {
			d.flush()
		}
	}
}

// serve answers one connection until it ends.
func (d *Daemon) serve(c *client) {
	in := bufio.NewScanner(c)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		d.answer(c, in.Bytes())
	}
	_ = c.Close()
}

func (c *client) send(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.write.Lock()
	defer c.write.Unlock()
	_, err = c.Write(append(text, '\n'))
	return err
}

// failure is a JSON-RPC error.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// The daemon's error codes.
const (
	userError    = -1
	ioError      = -3
	untrusted    = -4
	invalid      = -32600
	noMethod     = -32601
	noParams     = -32602
	parseFailure = -32700
)

func (d *Daemon) answer(c *client, raw []byte) {
	var req struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  map[string]any  `json:"params"`
	}
	var fault *failure
	var result any
	switch err := json.Unmarshal(raw, &req); {
	case err != nil:
		fault = &failure{parseFailure, err.Error()}
	case req.Version != "2.0" || req.Method == "":
		fault = &failure{invalid, "not a JSON-RPC 2.0 request"}
	case len(req.ID) > 0 && c.ids[string(req.ID)]:
		fault = &failure{invalid, "the id was used before"}
	default:
		c.ids[string(req.ID)] = true
		result, fault = d.method(c, req.Method, req.Params)
	}
	if len(req.ID) == 0 {
		return // a notification has no answer
	}
	out := map[string]any{"jsonrpc": "2.0", "id": req.ID}
	if fault != nil {
		out["error"] = fault
	} else {
		out["result"] = result
	}
	_ = c.send(out) // anyone who is gone hears nothing
	if req.Method == "subscribeReceive" && fault == nil {
		d.flush()
	}
}

func (d *Daemon) method(c *client, method string, p map[string]any) (any, *failure) {
	if a, ok := p["account"]; ok && a != Number {
		return nil, &failure{noParams, "Specified account does not exist"}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch method {
	case "version":
		return map[string]any{"version": "0.13.0"}, nil
	case "subscribeReceive":
		if !d.Manual {
			return nil, &failure{noMethod, "Method not implemented"}
		}
		c.subscribed = len(d.conns)
		return c.subscribed, nil
	case "unsubscribeReceive":
		c.subscribed = 0
		return nil, nil
	case "listIdentities":
		return d.identities(p)
	case "send":
		return d.send(p)
	}
	return nil, &failure{noMethod, "Method not implemented"}
}

func (d *Daemon) identities(p map[string]any) (any, *failure) {
	who, one := p["number"].(string)
	out := []identity{}
	for uuid, keys := range d.people {
		if !one || uuid == who {
			out = append(out, keys...)
		}
	}
	return out, nil
}

// send sends a message, or edits one of ours.
func (d *Daemon) send(p map[string]any) (any, *failure) {
	text, _ := p["message"].(string)
	if text == "" {
		return nil, &failure{noParams, "No message and no attachments"}
	}
	if len(text) > 2000 {
		return nil, &failure{userError, "Message is too long"}
	}
	chat, fault := d.recipient(p)
	if fault != nil {
		return nil, fault
	}
	if d.fail > 0 {
		d.fail--
		return nil, &failure{ioError, "Failed to send message: the network is not there"}
	}
	d.clock++
	if at, ok := p["editTimestamp"].(float64); ok {
		for _, m := range d.shown[chat] {
			if m.at == int64(at) && d.edits {
				m.text, m.closed = text, true
				return map[string]any{"timestamp": d.clock}, nil
			}
		}
		return nil, &failure{userError, "No message to edit, or it is too old"}
	}
	d.shown[chat] = append(d.shown[chat], &message{at: d.clock, text: text})
	return map[string]any{"timestamp": d.clock, "results": []any{map[string]any{"type": "SUCCESS"}}}, nil
}

func (d *Daemon) recipient(p map[string]any) (string, *failure) {
	if g, ok := p["groupId"].(string); ok {
		return "group:" + g, nil
	}
	list, _ := p["recipient"].([]any)
	if len(list) != 1 {
		return "", &failure{noParams, "No recipients given"}
	}
	uuid, _ := list[0].(string)
	keys := d.people[uuid]
	if len(keys) == 0 {
		return "", &failure{userError, "Unregistered user " + uuid}
	}
	if !strings.HasPrefix(keys[len(keys)-1].Trust, "TRUSTED") {
		return "", &failure{untrusted, "Untrusted Identity for " + uuid}
	}
	return uuid, nil
}

// Meet makes a person known, with a first key, trusted on first use.
func (d *Daemon) Meet(uuid string) { d.NewKey(uuid, "TRUSTED_UNVERIFIED") }

// NewKey gives a person a new key, as a new phone does, and says how far it is
// trusted: UNTRUSTED, TRUSTED_UNVERIFIED or TRUSTED_VERIFIED.
func (d *Daemon) NewKey(uuid, trust string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.people[uuid])
	d.clock++
	d.people[uuid] = append(d.people[uuid], identity{
		Number: "+1555" + uuid[:4], UUID: uuid, Fingerprint: fmt.Sprintf("05 %02x %s", n, uuid[:8]),
		Safety: strings.Repeat(strconv.Itoa(n%10), 60), Trust: trust, Added: d.clock,
	})
}

// Trust trusts the newest key of a person, as `signal-cli trust -v` does.
func (d *Daemon) Trust(uuid string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	keys := d.people[uuid]
	keys[len(keys)-1].Trust = "TRUSTED_VERIFIED"
}

// Send lets a person send a data message: text, reaction, quote, ...
func (d *Daemon) Send(uuid, chat string, data map[string]any) {
	d.mu.Lock()
	d.clock++
	if id, ok := strings.CutPrefix(chat, "group:"); ok {
		data["groupInfo"] = map[string]any{"groupId": id, "type": "DELIVER"}
	}
	data["timestamp"] = d.clock
	envelope := map[string]any{
		"source": uuid, "sourceNumber": nil, "sourceUuid": uuid, "sourceName": "Operator", "sourceDevice": 1,
		"timestamp":               d.clock,
		"serverReceivedTimestamp": d.clock, "dataMessage": data,
	}
	d.queue = append(d.queue, envelope)
	d.mu.Unlock()
	d.flush()
}

// Envelope sends any envelope as it is.
func (d *Daemon) Envelope(e map[string]any) {
	d.mu.Lock()
	d.queue = append(d.queue, e)
	d.mu.Unlock()
	d.flush()
}

// flush delivers queued envelopes to all receivers. Without receivers they wait.
func (d *Daemon) flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.queue) > 0 && d.notify(d.queue[0]) {
		d.last = d.queue[0]
		d.queue = d.queue[1:]
	}
}

// notify sends one envelope and reports whether anybody has it; the caller holds
// the lock.
func (d *Daemon) notify(e map[string]any) (reached bool) {
	for c := range d.conns {
		params := map[string]any{"account": Number, "envelope": e}
		if d.Manual {
			params = map[string]any{"subscription": c.subscribed, "result": params}
		}
		if d.Manual && c.subscribed == 0 {
			continue
		}
		if err := c.send(map[string]any{"jsonrpc": "2.0", "method": "receive", "params": params}); err == nil {
			reached = true
		}
	}
	return reached
}

// Write implements [gatewaytest.Service].
func (d *Daemon) Write(user, chat, text string) {
	d.Send(user, chat, map[string]any{"message": text})
}

// Press implements [gatewaytest.Service] with a reaction.
func (d *Daemon) Press(user, chat, messageID, _ string, approve bool) {
	emoji := "\U0001f44e"
	if approve {
		emoji = "\U0001f44d\U0001f3fd"
	}
	d.React(user, chat, messageID, emoji, UUID, false)
}

// React lets a person react to a message of somebody's, or take that back.
func (d *Daemon) React(user, chat, messageID, emoji, author string, remove bool) {
	at, _ := strconv.ParseInt(messageID, 10, 64)
	d.Send(user, chat, map[string]any{"message": nil, "reaction": map[string]any{
		"emoji": emoji, "targetAuthor": author, "targetAuthorNumber": Number, "targetAuthorUuid": author,
		"targetSentTimestamp": at, "isRemove": remove,
	}})
}

// Quote lets a person reply to a message of somebody's.
func (d *Daemon) Quote(user, chat, messageID, author, text string) {
	at, _ := strconv.ParseInt(messageID, 10, 64)
	d.Send(user, chat, map[string]any{"message": text,
		"quote": map[string]any{"id": at, "author": author, "authorUuid": author, "text": "a card"}})
}

// Shown implements [gatewaytest.Service].
func (d *Daemon) Shown(chat string) (out []gatewaytest.Message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.shown[chat] {
		out = append(out, gatewaytest.Message{ID: strconv.FormatInt(m.at, 10), Text: m.text,
			Open: strings.HasPrefix(m.text, "approval ") && !m.closed && strings.Contains(m.text, "React to")})
	}
	return out
}

// Redeliver implements [gatewaytest.Service]: the last envelope comes once more.
func (d *Daemon) Redeliver() {
	d.mu.Lock()
	if d.last != nil {
		d.queue = append(d.queue, d.last)
		d.last = nil
	}
	d.mu.Unlock()
	d.flush()
}

// Fail implements [gatewaytest.Service].
func (d *Daemon) Fail(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = n
}

// TooOld says that no message can be edited any more.
func (d *Daemon) TooOld() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.edits = false
}
