package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// OAuth is how the proxy logs in to a server that asks for it, in the user's browser. The
// token that it gets stays in memory, and goes to that server alone.
type OAuth struct {
	// ID and Secret are of a client that the server's operator has registered. "" means
	// that the proxy registers itself where the server lets it.
	ID, Secret string
	// Metadata is the address of a document about this client, for servers that know
	// clients by such an address. "" for none.
	Metadata string
	// Redirect is where the browser comes back to, on this machine, such as
	// "http://127.0.0.1:8765/callback". "" means a port that is free.
	Redirect string
	// Browser is the command that opens an address; its last argument is the address.
	// Empty: the address is printed to Say alone.
	Browser []string
	// Say gets what the user should know.
	Say io.Writer
}

// login logs in, one request at a time.
type login struct {
	mu      sync.Mutex
	handler auth.OAuthHandler
	browser *browser
}

// newLogin opens the port that the browser comes back to.
func newLogin(o OAuth) (*login, error) {
	at := o.Redirect
	if at == "" {
		at = "http://127.0.0.1:0/callback"
	}
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme != "http" || u.Hostname() != "localhost" && (ip == nil ||
		!ip.IsLoopback()) {
		return nil, fmt.Errorf("found the address %q for the browser to come back to; expected one on this machine, such "+
			"as http://127.0.0.1:8765/callback", at)
	}
	door, err := net.Listen("tcp", u.Host)
	if err != nil {
		return nil, err
	}
	if o.Redirect == "" {
		u.Host = door.Addr().String()
	}
	b := newBrowser(o, door, u.Path)
	c := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:              u.String(),
		AuthorizationCodeFetcher: b.fetch,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "Cortex", RedirectURIs: []string{u.String()}},
		},
	}
	if o.Metadata != "" {
		c.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: o.Metadata}
	}
	if o.ID != "" {
		c.PreregisteredClient = &oauthex.ClientCredentials{ClientID: o.ID}
		if o.Secret != "" {
			c.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: o.Secret}
		}
	}
	h, err := auth.NewAuthorizationCodeHandler(c)
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return &login{handler: h, browser: b}, nil
}

// sign adds the token to a request, if there is one, and returns it.
func (l *login) sign(req *http.Request) (string, error) {
	source, err := l.handler.TokenSource(req.Context())
	if err != nil || source == nil {
		return "", err
	}
	token, err := source.Token()
	if err != nil {
		return "", nil //nolint:nilerr // a token that cannot be had again is asked for anew
	}
	req.Header.Set("Authorization", "Bearer "+token.AccessToken)
	return token.AccessToken, nil
}

// again logs in after a request was refused, unless another request did so meanwhile.
func (l *login) again(req *http.Request, resp *http.Response, used string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	fresh := req.Clone(req.Context())
	if now, err := l.sign(fresh); err == nil && now != "" && now != used {
		return resp.Body.Close()
	}
	return l.handler.Authorize(req.Context(), req, resp)
}

// browser asks a person to log in, and hears of it when the browser comes back.
type browser struct {
	o       OAuth
	back    chan *auth.AuthorizationResult
	server  http.Server
	serving sync.WaitGroup
}

func newBrowser(o OAuth, door net.Listener, path string) *browser {
	b := &browser{o: o, back: make(chan *auth.AuthorizationResult)}
	b.server = http.Server{ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		if r.URL.Path != path {
			http.NotFound(w, r)
			return
		}
		q := r.URL.Query()
		select {
		case b.back <- &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}:
			_, _ = io.WriteString(w, "Cortex has what it needs. You can close this page.\n")
		case <-r.Context().Done():
		}
	})}
	b.serving.Go(func() { _ = b.server.Serve(door) }) // it ends with close, and says only that
	return b
}

func (b *browser) close() error {
	err := b.server.Close()
	b.serving.Wait()
	return err
}

// patient is how long a person has to log in.
const patient = 5 * time.Minute

// fetch opens the browser, and waits until it comes back.
func (b *browser) fetch(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	ctx, cancel := context.WithTimeout(ctx, patient)
	var opening sync.WaitGroup
	opening.Go(func() { b.open(ctx, args.URL) })
	defer func() { cancel(); opening.Wait() }()
	select {
	case r := <-b.back:
		if r.Code == "" {
			return nil, errors.New("the login was refused")
		}
		return r, nil
	case <-ctx.Done():
		return nil, errors.New("the login took too long")
	}
}

// open shows the address to the user.
func (b *browser) open(ctx context.Context, address string) {
	if b.o.Say != nil {
		_, _ = fmt.Fprintf(b.o.Say, "The server behind the proxy asks you to log in: %s\n", address)
	}
	if len(b.o.Browser) == 0 {
		return
	}
	cmd := exec.CommandContext(ctx, b.o.Browser[0], append(b.o.Browser[1:], address)...) //nolint:gosec // the user's
	if out, err := cmd.CombinedOutput(); err != nil && ctx.Err() == nil && b.o.Say != nil {
		_, _ = fmt.Fprintf(b.o.Say, "%s: %v: %s\n", b.o.Browser[0], err, strings.TrimSpace(string(out)))
	}
}
