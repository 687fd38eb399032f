package control

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
)

// Options say where the plane is. The zero value of Timeout, Every and Logger is the default.
type Options struct {
	URL     string        // below which the four calls are; https, or http on this machine
	Key     string        // goes along with each call, as a bearer token
	Project string        // whose capabilities are shared here; "" for those of the organisation
	Timeout time.Duration // of a call, and so of what a start waits; 0 means 2 s
	Every   time.Duration // between two looks at what is shared; 0 means 5 minutes
	Logger  *slog.Logger  // gets when the plane is lost and found; nil discards it
}

// pause is how long the plane is left alone after it could not be reached: starts meanwhile use what it
// ruled last, and wait for nothing.
const pause = 5 * time.Second

// mostRulings bounds how many rulings are kept. A question beyond is asked each time.
const mostRulings = 4096

// Plane is a control plane. It is safe for concurrent use.
type Plane struct {
	opt  Options
	http *http.Client
	logs *logs.Logs
	now  func() time.Time

	keeping sync.Mutex // held while a ruling is kept, so that the log has them in their order

	mu      sync.Mutex
	asked   uint64          // how often it was asked
	rulings map[string]kept // by question
	lost    string          // why it cannot be reached; "" if it can
	noted   bool            // that it is lost is on record
	alone   time.Time       // until when it is left alone
	until   string          // what it shares is known up to here, in its own words
	told    sexpr.Digest    // of the sums that it was sent last
}

// kept is a ruling on the question that was asked as the nth; 0 for one of before.
type kept struct {
	capabilities.Ruling
	n uint64
}

var _ capabilities.Control = (*Plane)(nil)

// New returns the plane of some options. It asks nothing yet.
func New(opt Options) (*Plane, error) {
	at, err := address(opt.URL)
	if opt.Key == "" {
		err = errors.Join(err, errors.New("a control plane without a key"))
	}
	if opt.Timeout < 0 || opt.Every < 0 {
		err = errors.Join(err, errors.New("a control plane with a negative time"))
	}
	if err != nil {
		return nil, err
	}
	opt.URL = at
	if opt.Timeout == 0 {
		opt.Timeout = 2 * time.Second
	}
	if opt.Every == 0 {
		opt.Every = 5 * time.Minute
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	return &Plane{opt: opt, http: newClient(), now: time.Now, rulings: map[string]kept{}}, nil
}

// sign is the HMAC of a text under the plane's key.
func (p *Plane) sign(text []byte) string {
	mac := hmac.New(sha256.New, []byte(p.opt.Key))
	mac.Write(text)
	return "hmac-sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Trouble says why the plane cannot be reached; nil if it can, or was not asked yet.
func (p *Plane) Trouble() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost == "" {
		return nil
	}
	return errors.New("the control plane was not reached, and what it ruled last holds: " + p.lost)
}

// Check implements [capabilities.Control].
func (p *Plane) Check(a capabilities.Asked) capabilities.Ruling {
	question, err := canon.Of(a)
	if err != nil {
		return capabilities.Ruling{Answer: capabilities.RulingDeny, Reason: err.Error()}
	}
	p.mu.Lock()
	last, known := p.rulings[string(question)]
	lost, alone := p.lost, p.now().Before(p.alone)
	p.asked++
	n := p.asked
	p.mu.Unlock()
	if !alone {
		r, err := p.ask(a)
		if err == nil {
			p.found()
			return p.keep(a, string(question), kept{r, n})
		}
		lost = err.Error()
		p.lose(lost)
	}
	if known {
		last.Cached = lost
		return last.Ruling
	}
	return capabilities.Ruling{Answer: capabilities.RulingUnreachable, Cached: lost}
}

// ask asks the plane. An answer that is none of the three is an error.
func (p *Plane) ask(a capabilities.Asked) (r capabilities.Ruling, err error) {
	v, _, err := p.call(context.Background(), callCheck, struct {
		Project string `json:"project"`
		capabilities.Asked
	}{p.opt.Project, a}, maxAnswer, false)
	if err != nil {
		return r, err
	}
	r = capabilities.Ruling{Answer: v.GetText("answer"), Reason: clip(v.GetText("reason")), At: p.now().Unix()}
	switch r.Answer {
	case capabilities.RulingAllow, capabilities.RulingPromotion, capabilities.RulingDeny:
		return r, nil
	}
	return r, errors.New(callCheck + `: an "answer" that is none of allow, needs_promotion and deny`)
}

// maxReason bounds what a plane says of a ruling, in bytes: each decision repeats it.
const maxReason = 300

func clip(text string) string {
	if len(text) <= maxReason {
		return text
	}
	cut := maxReason
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}
