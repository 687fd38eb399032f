package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
)

// The calls, as paths below the plane's address.
const (
	callCheck    = "policy/check"
	callSync     = "skills/sync"
	callPromote  = "promotions"
	callTell     = "telemetry"
	maxAnswer    = 64 << 10 // bytes
	maxSynced    = 4 << 20
	signatureKey = "Cortex-Signature" // of a promotion: the HMAC-SHA-256 of the body under the plane's key
)

// newClient returns an HTTP client that goes where it is told and nowhere else.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{DialContext: (&net.Dialer{}).DialContext, MaxIdleConnsPerHost: 4,
			IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 32 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// address checks the address of a plane: https, or http on this machine, since the key goes there.
func address(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil ||
		u.Scheme != "https" && u.Scheme != "http":
		return "", fmt.Errorf("%q does not address a control plane, expected an address such as https://plane.example/v1",
			text)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "", fmt.Errorf("%q would get the key in clear, expected https", text)
	}
	return strings.TrimRight(text, "/") + "/", nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// call makes one call: a JSON object out, a JSON object back. Anything else than a 200 with one object of
// at most most bytes is an error, and so is a text that reads in two ways.
func (p *Plane) call(ctx context.Context, call string, request any, most int64, signed bool) (answer sexpr.Value,
	text []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.opt.Timeout)
	defer cancel()
	body, err := canon.Of(request)
	if err != nil {
		return answer, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.opt.URL+call, bytes.NewReader(body))
	if err != nil {
		return answer, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+p.opt.Key)
	req.Header.Set("Content-Type", "application/json")
	if signed {
		req.Header.Set(signatureKey, p.sign(body))
	}
	res, err := p.http.Do(req)
	if err != nil {
		return answer, nil, fmt.Errorf("%s: %w", call, unwrapped(err))
	}
	defer func() { _ = res.Body.Close() }() // opened only for reading
	if res.StatusCode != http.StatusOK {
		return answer, nil, fmt.Errorf("%s: %s", call, refusal(res))
	}
	text, err = io.ReadAll(io.LimitReader(res.Body, most+1))
	switch {
	case err != nil:
		return answer, nil, fmt.Errorf("%s: %w", call, unwrapped(err))
	case int64(len(text)) > most:
		return answer, nil, fmt.Errorf("%s: an answer of more than %d bytes", call, most)
	}
	answer, err = sexpr.FromJSON(text)
	if err == nil && !answer.IsObject() {
		err = errors.New("expected an object")
	}
	if err != nil {
		return answer, nil, fmt.Errorf("%s: an answer that is not JSON as agreed: %w", call, err)
	}
	return answer, text, nil
}

// unwrapped leaves out the address, which is the same for all calls.
func unwrapped(err error) error {
	var u *url.Error
	if !errors.As(err, &u) {
		return err
	}
	if u.Timeout() {
		return errors.New("no answer in time")
	}
	return u.Err
}

func refusal(res *http.Response) string {
	switch {
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		return "the key was refused: " + res.Status
	case res.StatusCode/100 == 3:
		return "it points elsewhere, which is not followed: " + res.Status
	}
	return res.Status
}
