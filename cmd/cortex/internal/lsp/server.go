package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/opencortex-go/cortex/skills/rules"
)

// Options are what a [Server] works with.
type Options struct {
	// Rules are the files and folders of a rulebook: a text in one of them is checked
	// together with all of them. Any other text is checked with what it includes.
	Rules []string
	// Loader loads rules, with the functions that they may call.
	Loader rules.Loader
	// Lint finds what loads and should be otherwise; nil finds nothing.
	Lint func(*rules.Rulebook) []*rules.Error
	// Record counts how often clauses fired; nil means that there are no lenses.
	Record Record
	// Version is what the server tells clients of itself.
	Version string
	// Log takes what concerns no client, such as a panic.
	Log io.Writer
}

// Record counts, in a record of decisions, how often each clause fired.
type Record interface {
	// Fired returns the counts by the keys of clauses and invariants, as far as they are
	// known by now, and whether the whole record has been read. It does not wait.
	Fired() (counts map[string]int, decisions int, whole bool)
	// Read reads the record, and calls changed when there are other counts. It returns
	// when ctx is over, or the record cannot be read any more.
	Read(ctx context.Context, changed func()) error
}

// Server answers one client.
type Server struct {
	options Options
	files   *workspace
	checks  *checks
	empty   *rules.Calculator // what a rulebook of nothing knows

	mu      sync.Mutex
	down    bool // the client asked to shut down
	refresh bool // the client draws lenses again when it is told to
}

// ErrNoShutdown says that the client left without asking to shut down.
var ErrNoShutdown = errors.New("the client left without a shutdown")

// Serve answers a client on in and out until it leaves, or ctx is over.
func Serve(ctx context.Context, in io.Reader, out io.Writer, options Options) error {
	book, err := options.Loader.Load()
	if err != nil {
		return err
	}
	if options.Log == nil {
		options.Log = io.Discard
	}
	s := &Server{options: options, files: newWorkspace(options.Rules), empty: book.Calculator()}
	s.checks = newChecks(s)
	ctx, stop := context.WithCancel(ctx)
	conn := jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(&pipe{in, out}, codec{}), s,
		jsonrpc2.SetLogger(quiet{options.Log}))
	var tasks sync.WaitGroup
	tasks.Go(func() { s.checks.run(ctx, conn) })
	if options.Record != nil {
		tasks.Go(func() { s.count(ctx, conn) })
	}
	select {
	case <-conn.DisconnectNotify():
	case <-ctx.Done():
		_ = conn.Close() // it may have closed already
	}
	stop()
	tasks.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.down {
		return ErrNoShutdown
	}
	return nil
}

// pipe is a connection of two streams. They are the process's own, and stay open.
type pipe struct {
	io.Reader
	io.Writer
}

func (*pipe) Close() error { return nil }

// quiet logs what the connection has to say about itself.
type quiet struct{ io.Writer }

func (q quiet) Printf(format string, v ...any) {
	fmt.Fprintf(q, "lsp: "+format+"\n", v...) //nolint:errcheck // a log that fails has nowhere to say so
}

// Handle answers one message. The connection hands them over one by one, so that what a
// client changes stands before what it asks next.
func (s *Server) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	result, err := s.answer(ctx, conn, req)
	if req.Notif {
		if err != nil {
			fmt.Fprintf(s.options.Log, "lsp: %s: %v\n", req.Method, err) //nolint:errcheck // likewise
		}
		return
	}
	if err == nil {
		err = conn.Reply(ctx, req.ID, result)
		if err == nil {
			return
		}
	}
	var e *jsonrpc2.Error
	if !errors.As(err, &e) {
		e = &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	}
	_ = conn.ReplyWithError(ctx, req.ID, e) // a client that left hears nothing
}

// answer calls the method; a panic is the error of this request alone.
func (s *Server) answer(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(s.options.Log, "lsp: %s: %v\n%s", req.Method, r, debug.Stack()) //nolint:errcheck // likewise
			err = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: "the server failed on this request"}
		}
	}()
	if s.isDown() && req.Method != "exit" {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the server is shutting down"}
	}
	switch req.Method {
	case "initialize":
		return s.initialize(req)
	case "shutdown":
		s.mu.Lock()
		s.down = true
		s.mu.Unlock()
		return nil, nil
	case "exit":
		return nil, conn.Close()
	case "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose":
		return nil, s.edited(req)
	case "textDocument/didSave", "workspace/didChangeWatchedFiles":
		s.checks.wake()
		return nil, nil
	}
	if ask, ok := s.questions()[req.Method]; ok {
		var p place
		if err := params(req, &p); err != nil {
			return nil, err
		}
		doc, ok := s.files.opened(p.TextDocument.URI)
		if !ok {
			return nil, fmt.Errorf("%s is not open", p.TextDocument.URI)
		}
		return ask(doc, p)
	}
	if req.Notif {
		return nil, nil // initialized, $/cancelRequest and what else needs no doing
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: req.Method + " is not spoken here"}
}

// questions are the requests about an open text.
func (s *Server) questions() map[string]func(*doc, place) (any, error) {
	return map[string]func(*doc, place) (any, error){
		"textDocument/hover":          s.hover,
		"textDocument/completion":     s.complete,
		"textDocument/definition":     s.definition,
		"textDocument/references":     s.references,
		"textDocument/prepareRename":  s.prepareRename,
		"textDocument/rename":         s.rename,
		"textDocument/formatting":     s.format,
		"textDocument/documentSymbol": s.outline,
		"textDocument/codeLens":       s.lenses,
	}
}

func (s *Server) isDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// params reads the parameters of a request.
func params(req *jsonrpc2.Request, into any) error {
	if req.Params == nil {
		return errors.New("the parameters are missing")
	}
	return json.Unmarshal(*req.Params, into)
}

func (s *Server) initialize(req *jsonrpc2.Request) (any, error) {
	var p opening
	if err := params(req, &p); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.refresh = p.Capabilities.Workspace.CodeLens.RefreshSupport
	s.mu.Unlock()
	return map[string]any{
		"capabilities": capabilities(s.options.Record != nil),
		"serverInfo":   map[string]string{"name": "cortex lsp", "version": s.options.Version},
	}, nil
}

// edited takes in what happened to an open text.
func (s *Server) edited(req *jsonrpc2.Request) error {
	var c change
	if err := params(req, &c); err != nil {
		return err
	}
	doc := c.TextDocument
	switch req.Method {
	case "textDocument/didClose":
		s.files.shut(doc.URI)
	case "textDocument/didChange":
		if len(c.ContentChanges) == 0 {
			return nil
		}
		last := c.ContentChanges[len(c.ContentChanges)-1]
		if len(last.Range) > 0 {
			return errors.New("a part of a text was sent, expected all of it")
		}
		doc.Text = last.Text
		fallthrough
	default:
		if err := s.files.set(doc, s.empty); err != nil {
			return err
		}
	}
	s.checks.wake()
	return nil
}
