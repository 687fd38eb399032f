package daemon

import (
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/notes/book"
	"github.com/opencortex-go/cortex/notes/tools"
)

// book returns the notes of a record that is not open yet, and gives an engine what models have of them.
func (n Notes) book(opt *cortex.Options) *book.Book {
	b := book.New(n.Private...)
	if n.On {
		opt.Tools = append(opt.Tools, tools.All(b, opt.Agent)...)
		opt.Context = b.Prompt
	}
	return b
}
