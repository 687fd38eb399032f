package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/reason/model"
)

// dialect is one API over HTTP.
type dialect interface {
	defaults() (url, path, keyHeader, keyPrefix string)
	headers() map[string]string
	names(p model.Prompt) *toolNames
	request(p model.Prompt) (map[string]any, error)
	parse(top map[string]json.RawMessage, names *toolNames) (model.Completion, error)
	usage(top map[string]json.RawMessage) model.Usage
	// stream has a request ask for a stream, and returns what puts it together.
	stream(request map[string]any)
	assembly() assembly
}

// client is a provider over HTTP.
type client struct {
	Config
	dialect
	address string
	header  http.Header // without the key
	secrets secrets
	auth    func(http.Header) // adds the key
	http    *http.Client
}

const (
	maxErrorBody = 64 << 10
	maxErrorText = 500
	maxHeaders   = 64 << 10
	dialTimeout  = 10 * time.Second
	idleTimeout  = 90 * time.Second
)

func newHTTP(cfg Config, d dialect) (*client, error) {
	base, path, keyHeader, prefix := d.defaults()
	if cfg.URL == "" {
		cfg.URL = base
	}
	u, err := address(cfg.URL, path)
	if err != nil {
		return nil, err
	}
	if cfg.Model == "" {
		return nil, errors.New("model: expected the model's name at the endpoint")
	}
	key, err := cfg.readKey()
	if err != nil {
		return nil, err
	}
	if cfg.KeyHeader != "" {
		keyHeader, prefix = http.CanonicalHeaderKey(cfg.KeyHeader), ""
	}
	if key != "" && u.Scheme == "http" && !cfg.AllowHTTP && !isLocal(u.Hostname()) {
		return nil, fmt.Errorf("url: the key would go to %s without encryption; expected https, or allow_http = true",
			u.Hostname())
	}
	c := &client{Config: cfg, dialect: d, address: u.String(), header: http.Header{}, secrets: keep()}
	if err := c.setHeaders(keyHeader); err != nil {
		return nil, err
	}
	for _, name := range []string{"model", "messages", "tools", "stream", "system", "input", "instructions"} {
		if _, ok := cfg.Options[name]; ok {
			return nil, fmt.Errorf("options: %s is not among what options can set", name)
		}
	}
	if _, err := json.Marshal(cfg.Options); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	c.auth = func(http.Header) {}
	if key != "" {
		c.secrets = keep(key)
		c.auth = func(h http.Header) { h.Set(keyHeader, prefix+key) }
	}
	c.http = &http.Client{Transport: transport(cfg.Proxy), CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // only configured hosts get the key
	}}
	return c, nil
}

// address is the endpoint of a base URL.
func address(base, path string) (*url.URL, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return nil, errors.New("url: cannot be read, expected one such as \"https://host/v1\"") // err repeats it
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("url: expected one that begins with https:// or http:// and a host")
	case u.User != nil:
		return nil, errors.New("url: holds a name or a password; name a key with key_env or key_file")
	case u.Fragment != "":
		return nil, errors.New("url: has a fragment")
	}
	if p := strings.TrimRight(u.Path, "/"); !strings.HasSuffix(p, path) {
		u = u.JoinPath(path)
	}
	return u, nil
}

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// setHeaders fills in what is sent besides the key.
func (c *client) setHeaders(keyHeader string) error {
	ours := []string{keyHeader, "Authorization", "X-Api-Key", "Content-Type", "Content-Length", "Host", "Accept",
		"Accept-Encoding", "Connection", "Transfer-Encoding", "Cookie"}
	if c.KeyHeader != "" && !isName(c.KeyHeader) {
		return errors.New("key_header: expected the name of a header")
	}
	for name, value := range c.Headers {
		switch {
		case !isName(name):
			return fmt.Errorf("headers: %q is not a header name", name)
		case slices.Contains(ours, http.CanonicalHeaderKey(name)):
			return fmt.Errorf("headers: %s cannot be set here; keys are named with key_env or key_file", name)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
			return fmt.Errorf("headers: the value of %s is not printable ASCII on one line", name)
		}
		c.header.Set(name, value)
	}
	for name, value := range c.dialect.headers() {
		if c.header.Get(name) == "" {
			c.header.Set(name, value)
		}
	}
	c.header.Set("Content-Type", "application/json")
	c.header.Set("Accept", "application/json")
	if c.Stream {
		c.header.Set("Accept", "text/event-stream, application/json")
	}
	c.header.Set("User-Agent", "cortex")
	return nil
}

// transport is separate for each provider, so that closing one ends only its
// connections. Compression is off, so that size limits apply to the data received.
func transport(proxy bool) *http.Transport {
	t := &http.Transport{
		DialContext:       (&net.Dialer{Timeout: dialTimeout}).DialContext,
		ForceAttemptHTTP2: true, TLSHandshakeTimeout: dialTimeout, IdleConnTimeout: idleTimeout,
		DisableCompression: true, MaxResponseHeaderBytes: maxHeaders, MaxIdleConnsPerHost: 8,
	}
	if proxy {
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}

// Name is the configured one.
func (c *client) Name() string { return c.Config.Name }

// Model implements [model.Modelled].
func (c *client) Model() string { return c.Config.Model }

// Close ends the idle connections.
func (c *client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Complete asks the endpoint, and retries if that may help and the context lasts.
// The usage of failed tries counts, too.
func (c *client) Complete(ctx context.Context, p model.Prompt) (model.Completion, error) {
	request, err := c.request(p)
	if err != nil {
		return model.Completion{}, err
	}
	for k, v := range c.Options {
		request[k] = v
	}
	if p.Pinned {
		request["temperature"] = 0
	}
	if c.Stream {
		c.stream(request)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return model.Completion{}, err
	}
	names := c.names(p)
	var spent model.Usage
	for try := 0; ; try++ {
		out, err := c.try(ctx, body, names)
		spent = add(spent, out.Usage)
		if err == nil {
			out.Usage = spent
			return out, nil
		}
		out = model.Completion{Usage: spent}
		err.tries = try + 1
		wait, ok := err.wait(try)
		if !ok || try >= c.Retries || !pause(ctx, wait) {
			return out, err
		}
	}
}

func add(a, b model.Usage) model.Usage {
	return model.Usage{TokensIn: a.TokensIn + b.TokensIn, TokensOut: a.TokensOut + b.TokensOut, Cost: a.Cost + b.Cost}
}

// try asks once. With an error, the completion holds only its usage.
func (c *client) try(ctx context.Context, body []byte, names *toolNames) (model.Completion, *Error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return model.Completion{}, c.fail(0, err)
	}
	req.Header = c.header.Clone()
	c.auth(req.Header)
	resp, err := c.http.Do(req)
	if err != nil {
		return model.Completion{}, c.lost(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // the needed part has been read
	if resp.StatusCode != http.StatusOK {
		return c.refused(resp)
	}
	if err := unpacked(resp); err != nil {
		return model.Completion{}, c.lost(ctx, err)
	}
	read := c.read
	if c.Stream && isStream(resp) {
		read = c.assemble
	}
	data, err := read(resp)
	if err != nil {
		return model.Completion{}, c.lost(ctx, err)
	}
	return c.answer(data, names)
}

func unpacked(resp *http.Response) error {
	if e := resp.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return fmt.Errorf("the answer is packed (%.20q), though that was not asked for", e)
	}
	return nil
}

// read reads the body of an answer, up to the limit.
func (c *client) read(resp *http.Response) ([]byte, error) {
	if t := resp.Header.Get("Content-Type"); t != "" {
		media, _, err := mime.ParseMediaType(t)
		if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") && media != "text/plain" {
			return nil, fmt.Errorf("the answer is %.60q, expected application/json", t)
		}
	}
	if resp.ContentLength > c.MaxBytes {
		return nil, fmt.Errorf("the answer is %d bytes long, expected at most %d", resp.ContentLength, c.MaxBytes)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, c.MaxBytes+1))
	if err == nil && int64(len(data)) > c.MaxBytes {
		err = fmt.Errorf("the answer is longer than %d bytes", c.MaxBytes)
	}
	return data, err
}

// answer reads a whole answer.
func (c *client) answer(data []byte, names *toolNames) (model.Completion, *Error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return model.Completion{}, c.fail(http.StatusOK, errors.New("the answer is empty"))
	}
	if err := strict(data); err != nil {
		return model.Completion{}, c.fail(http.StatusOK, err)
	}
	top, err := object(data)
	if err != nil {
		return model.Completion{}, c.fail(http.StatusOK, errors.New("the answer is not a JSON object"))
	}
	out, err := c.parse(top, names)
	if err == nil && repeats(c.secrets, out) {
		err = errors.New("the answer repeats this provider's key")
	}
	if err != nil {
		return model.Completion{Usage: c.usage(top)}, c.fail(http.StatusOK, err)
	}
	out.Usage = c.usage(top)
	return out, nil
}

// refused reads an answer with a status other than 200. It may have an error message
// and usage to bill.
func (c *client) refused(resp *http.Response) (model.Completion, *Error) {
	var out model.Completion
	data, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // as much as there is
	text := string(data)
	if top, err := object(data); err == nil {
		out.Usage = c.usage(top)
		if said := complaint(top); said != "" {
			text = said
		}
	}
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode/100 == 3 {
		text = "it sends elsewhere, and redirects are not followed; expected the endpoint's own address in url"
	}
	e := c.fail(resp.StatusCode, errors.New(strings.TrimSpace(text)))
	e.again = resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode/100 == 5
	e.after = retryAfter(resp.Header.Get("Retry-After"))
	return out, e
}

// lost makes an error of a connection's.
func (c *client) lost(ctx context.Context, err error) *Error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the address, which may hold more than a host
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	e := c.fail(0, err)
	var op *net.OpError
	var broken *brokenStream
	e.again = ctx.Err() == nil && (errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &broken) && broken.again)
	return e
}

func (c *client) fail(status int, err error) *Error {
	text := c.secrets.scrub(err.Error())
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "..."
	}
	e := &Error{Provider: c.Config.Name, Status: status, Text: text}
	for _, known := range []error{context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, known) {
			e.cause = known
		}
	}
	return e
}
