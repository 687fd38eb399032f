package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// Remote is a server at an address. The proxy speaks to it with credentials of its own, if
// any; those of the client never reach it.
type Remote struct {
	url    *url.URL
	client *http.Client
	opt    RemoteOptions
	login  *login
}

// RemoteOptions say how the proxy shows who it is.
type RemoteOptions struct {
	// Token is a file with a bearer token for the server, read anew for each request. ""
	// for none.
	Token string
	// OAuth logs in where the server asks for it. nil does not.
	OAuth *OAuth
}

// NewRemote returns the server at an address, such as "https://mcp.example.com/mcp".
func NewRemote(address string, o RemoteOptions) (*Remote, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("found the address %q; expected one such as https://mcp.example.com/mcp, without a user",
			address)
	}
	r := &Remote{url: u, opt: o, client: &http.Client{
		Transport:     http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if o.OAuth != nil {
		r.login, err = newLogin(*o.OAuth)
	}
	return r, err
}

func (r *Remote) path() string {
	if r.url.Path == "" {
		return "/"
	}
	return r.url.Path
}

// RoundTrip sends a request to the server, and logs in if the server asks for it.
func (r *Remote) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
	}
	resp, out, used, err := r.try(req, body)
	if err != nil {
		return nil, err
	}
	if r.login != nil && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden) {
		if err := r.login.again(out, resp, used); err != nil {
			return nil, fmt.Errorf("logging in to the server: %w", err)
		}
		if resp, _, _, err = r.try(req, body); err != nil {
			return nil, err
		}
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		err = errors.New("the server wants credentials: --upstream-token or --oauth gives them to the proxy")
	case resp.StatusCode == http.StatusForbidden && (r.login != nil || r.opt.Token != ""):
		err = errors.New("the server refuses the proxy's credentials")
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		err = fmt.Errorf("the server sends its clients to %q; name that address, if you trust it",
			resp.Header.Get("Location"))
	default:
		return resp, nil
	}
	return nil, errors.Join(err, resp.Body.Close())
}

// try sends a request once, and returns what was sent, with the token.
func (r *Remote) try(req *http.Request, body []byte) (resp *http.Response, out *http.Request, token string, err error) {
	u := *r.url
	out = req.Clone(req.Context())
	out.URL, out.Host, out.Body = &u, u.Host, nil
	if req.Body != nil {
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	out.Header.Set("Accept-Encoding", "identity") // what is compressed cannot be read
	switch {
	case r.opt.Token != "":
		text, err := os.ReadFile(r.opt.Token)
		if err != nil {
			return nil, nil, "", fmt.Errorf("the token for the server: %w", err)
		}
		out.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(text)))
	case r.login != nil:
		if token, err = r.login.sign(out); err != nil {
			return nil, nil, "", err
		}
	}
	resp, err = r.client.Do(out)
	return resp, out, token, err
}

// Close implements io.Closer.
func (r *Remote) Close() error {
	r.client.CloseIdleConnections()
	if r.login != nil {
		return r.login.browser.close()
	}
	return nil
}
