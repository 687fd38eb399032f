package mcp_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/mcp"
	"github.com/opencortex-go/cortex/internal/oracle"
)

// gate is an authorization server with a person who logs in, or refuses: codes with PKCE (RFC
// 7636), clients that register themselves (RFC 7591), metadata (RFC 8414, RFC 9728). The tokens
// that it gave are the only ones that the server behind it takes.
type gate struct {
	refuses bool

	mu     sync.Mutex
	at     string
	codes  map[string]string // the challenge of each
	tokens map[string]bool
	wrong  []string // what no honest client sends
}

func (g *gate) fault(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wrong = append(g.wrong, text)
}

func (g *gate) routes(mux *http.ServeMux) {
	say := func(w http.ResponseWriter, status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /.well-known/oauth-protected-resource", func(w http.ResponseWriter, _ *http.Request) {
		say(w, http.StatusOK, map[string]any{"resource": g.at + "/mcp", "authorization_servers": []string{g.at}})
	})
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		say(w, http.StatusOK, map[string]any{"issuer": g.at, "authorization_endpoint": g.at + "/authorize",
			"token_endpoint": g.at + "/token", "registration_endpoint": g.at + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
			"token_endpoint_auth_methods_supported": []string{"none"}})
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, r *http.Request) {
		var about map[string]any
		_ = json.NewDecoder(r.Body).Decode(&about)
		about["client_id"], about["token_endpoint_auth_method"] = "c1", "none"
		say(w, http.StatusCreated, about)
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		q, back := r.URL.Query(), url.Values{"state": {r.URL.Query().Get("state")}}
		if q.Get("code_challenge_method") != "S256" || q.Get("client_id") != "c1" || q.Get("resource") != g.at+"/mcp" {
			g.fault("authorize: " + r.URL.RawQuery)
		}
		if g.refuses {
			back.Set("error", "access_denied")
		} else {
			code := rand.Text()
			g.mu.Lock()
			g.codes[code] = q.Get("code_challenge")
			g.mu.Unlock()
			back.Set("code", code)
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		g.mu.Lock()
		defer g.mu.Unlock()
		challenge := g.codes[r.FormValue("code")]
		delete(g.codes, r.FormValue("code"))
		if challenge == "" || challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
			g.wrong = append(g.wrong, "token: "+r.Form.Encode())
			say(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
			return
		}
		token := rand.Text()
		g.tokens[token] = true
		say(w, http.StatusOK, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
	})
}

// knows implements [auth.TokenVerifier].
func (g *gate) knows(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.tokens[token] {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{Expiration: time.Now().Add(time.Hour)}, nil
}

// guarded is the server of the other tests behind a gate, and what it hears.
func guarded(t *testing.T, g *gate) (string, *heard) {
	g.codes, g.tokens = map[string]string{}, map[string]bool{}
	mux, s, h := http.NewServeMux(), notes("a"), &heard{}
	at := httptest.NewServer(mux)
	t.Cleanup(at.Close)
	g.at = at.URL
	g.routes(mux)
	handler := auth.RequireBearerToken(g.knows, &auth.RequireBearerTokenOptions{
		ResourceMetadataURL: at.URL + "/.well-known/oauth-protected-resource"})(
		sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.calls = append(h.calls, r)
		h.mu.Unlock()
		handler.ServeHTTP(w, r)
	})
	return at.URL + "/mcp", h
}

// readBehind calls a tool through a proxy on standard input and output before a server over HTTP.
func readBehind(t *testing.T, url string, opt mcp.RemoteOptions) (string, error) {
	w := newWorld(t)
	behind, err := mcp.NewRemote(url, opt)
	require.NoError(t, err)
	theirs, in := io.Pipe()
	out, mine := io.Pipe()
	over := make(chan error, 1)
	go func() { over <- w.proxy.Stdio(context.Background(), behind, theirs, mine) }()
	defer func() {
		_ = in.Close()
		t.Log(<-over) // without a login the proxy ends with an error of its own
	}()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(),
		&sdk.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		return "", err
	}
	got, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "read", Arguments: map[string]any{"path": "p"}})
	if err != nil {
		return "", err
	}
	text, ok := got.Content[0].(*sdk.TextContent)
	require.True(t, ok)
	return text.Text, nil
}

// The proxy logs in by the user's browser where the server asks for it. The server has the token
// that was issued to the proxy; without a login, or if the user refuses, no call gets through.
func TestLogsInByTheUsersBrowser(t *testing.T) {
	browser := []string{oracle.Find(t, "curl"), "-sS", "-L"}
	var said bytes.Buffer
	g := &gate{}
	url, h := guarded(t, g)
	got, err := readBehind(t, url, mcp.RemoteOptions{OAuth: &mcp.OAuth{Browser: browser, Say: &said}})
	require.NoError(t, err, said.String())
	assert.Equal(t, "read p of a", got)
	assert.Contains(t, said.String(), "asks you to log in: "+g.at+"/authorize?")
	assert.Empty(t, g.wrong)
	require.Len(t, g.tokens, 1, "one login is enough")
	for token := range g.tokens {
		assert.Equal(t, "Bearer "+token, h.last().Header.Get("Authorization"))
	}

	_, err = readBehind(t, url, mcp.RemoteOptions{})
	require.Error(t, err, "without a login")
	refused := &gate{refuses: true}
	url, _ = guarded(t, refused)
	_, err = readBehind(t, url, mcp.RemoteOptions{OAuth: &mcp.OAuth{Browser: browser, Say: &said}})
	require.Error(t, err)
	assert.Empty(t, refused.tokens)
}
