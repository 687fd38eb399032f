package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/merging"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// Stdio serves one client on standard input and output until it closes its side, the server
// ends, or ctx does. An error says why it ended otherwise than by the client.
func (p *Proxy) Stdio(ctx context.Context, behind Backend, in io.Reader, out io.Writer) error {
	p.stands(behind)
	server, err := behind.dial(ctx, p)
	if err != nil {
		return fmt.Errorf("the server behind the proxy does not start: %w", err)
	}
	c := p.converse()
	s := &stdio{p: p, client: wire.NewLines(in, out), server: server, x: c.exchange()}
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { p.watch(ctx, s.changed) })
	err = s.run(ctx)
	stop()
	watching.Wait()
	s.x.abandon()
	c.end()
	return err
}

// stdio is one client on standard input and output.
type stdio struct {
	p      *Proxy
	client *wire.Lines
	server merging.Link
	x      *exchange
	note   atomic.Pointer[wire.Message] // what tells the client that its list of tools is old; nil before it has one
}

// changed tells the client that its list of tools is old.
func (s *stdio) changed() error {
	if note := s.note.Load(); note != nil {
		return s.client.Write(note)
	}
	return nil
}

// run relays until one side ends.
func (s *stdio) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	said, gone := make(chan said), make(chan error, 1)
	go s.listen(ctx, said)
	go func() { gone <- s.fromServer() }()
	var calls sync.WaitGroup // that are being judged
	for {
		select {
		case next := <-said:
			err := next.err
			if err == nil {
				err = s.fromClient(ctx, next.line, &calls)
			}
			if err == nil {
				continue
			}
			// A client that closes its side still hears what it asked for, unless a person
			// has to decide: the client no longer waits for that.
			leave := time.AfterFunc(grace, stop)
			if !errors.Is(err, io.EOF) {
				stop()
			}
			calls.Wait()
			leave.Stop()
			err = errors.Join(ignoreEOF(err), s.server.Close())
			return errors.Join(err, <-gone)
		case err := <-gone:
			stop()
			calls.Wait()
			if err == nil {
				err = errors.New("the server behind the proxy has ended")
			}
			return errors.Join(err, s.server.Close())
		case <-ctx.Done():
			calls.Wait()
			err := s.server.Close()
			return errors.Join(err, <-gone)
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// said is what the client said, or why nothing more comes.
type said struct {
	line []byte
	err  error
}

// listen reads the client's messages until ctx ends. Standard input cannot be interrupted, so
// the goroutine may outlive the relay, and then ends with the process.
func (s *stdio) listen(ctx context.Context, to chan<- said) {
	for {
		line, err := s.client.Read()
		if err != nil && !errors.Is(err, io.EOF) {
			err = fmt.Errorf("reading from the client: %w", err)
		}
		select {
		case to <- said{line, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// fromClient takes one message of the client. Only calls that are judged may overtake each
// other, as their answers may.
func (s *stdio) fromClient(ctx context.Context, line []byte, calls *sync.WaitGroup) error {
	m, err := wire.Parse(line)
	var f *wire.Fault
	if errors.As(err, &f) {
		return s.client.Write(faulty(f))
	}
	if note := subscribes(m); note != nil {
		s.note.Store(note)
	} else if m.Method == wire.MethodList {
		s.note.CompareAndSwap(nil, noteList(nil))
	}
	now, later := s.x.fromClient(ctx, m, s.client.Write)
	if later == nil {
		return s.follow(ctx, now)
	}
	calls.Go(func() {
		if err := s.follow(ctx, later()); err != nil {
			s.p.Logger.Error("a call was not passed on", "error", err)
		}
	})
	return nil
}

// follow does what became of a message.
func (s *stdio) follow(ctx context.Context, next step) error {
	if next.answer != nil {
		return s.client.Write(next.answer)
	}
	if next.stray {
		s.p.Logger.Warn("the client answered what it was not asked; it was dropped")
	}
	if next.forward != nil {
		return s.server.Send(ctx, next.forward)
	}
	return nil
}

// fromServer passes the server's messages on, each after the judge has it.
func (s *stdio) fromServer() error {
	for {
		m, err := s.server.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading from the server: %w", err)
		}
		onward, back := s.x.fromServer(m)
		if back != nil {
			err = s.server.Send(context.Background(), back)
		} else if onward != nil {
			err = s.client.Write(onward)
		}
		if err != nil {
			return err
		}
	}
}
