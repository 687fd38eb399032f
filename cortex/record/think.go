package record

import (
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/sexpr"
)

// Think is one question to a model and what it answered, as far as the options ask to keep
// it. What was masked in its texts stands there as a keyed hash.
type Think struct {
	Root     uint64 // the signal that was being answered
	Provider string
	Model    string // "" where the provider does not say
	Prompt   Said
	Answer   Said
	// TokensIn, TokensOut and Cost, in US dollars, are what the provider reported.
	TokensIn, TokensOut int64
	Cost                float64
	Took                time.Duration
	Error               string // why there is no answer, in a word; "" if there is one
}

// Said is one side of a [Think].
type Said struct {
	Digest sexpr.Digest // of Text, under the domain "cortex/think/1", whether it is kept or not
	Bytes  int          // of Text
	Text   string       // a plist; "" where the digest alone is kept
}

// Domain of [Said.Digest].
const thinkDomain = "cortex/think/1"

// MaxSaid is the length, in bytes, of the longest text that a [Think] keeps whole: a decision is
// not to fail because its question does not fit into a record.
const MaxSaid = 4 << 20

// SaidOf returns text as one side of a [Think]: whole, if that is asked for and it is no longer
// than [MaxSaid], or by its digest.
func SaidOf(text string, whole bool) Said {
	s := Said{Digest: sexpr.DigestText(thinkDomain, text), Bytes: len(text)}
	if whole && len(text) <= MaxSaid {
		s.Text = text
	}
	return s
}

// Kind implements [Entry].
func (Think) Kind() string { return KindThink }

// Value implements [Entry].
func (t Think) Value() sexpr.Value {
	var b plist.Builder
	b.Add("answer", t.Answer.value())
	b.Add("cost", sexpr.Float64(t.Cost))
	b.Text("error", t.Error)
	b.Int("in", t.TokensIn)
	b.Text("model", t.Model)
	b.Int("out", t.TokensOut)
	b.Add("prompt", t.Prompt.value())
	b.Text("provider", t.Provider)
	b.Int("root", int64(t.Root))
	b.Int("took", int64(t.Took))
	return b.Done()
}

func (s Said) value() sexpr.Value {
	var b plist.Builder
	b.Int("bytes", int64(s.Bytes))
	b.Text("digest", s.Digest.String())
	b.Text("text", s.Text)
	return b.Done()
}

// ThinkFrom reads what [Think.Value] wrote.
func ThinkFrom(v sexpr.Value) Think {
	cost, _ := v.Get("cost")
	prompt, _ := v.Get("prompt")
	answer, _ := v.Get("answer")
	return Think{Root: seqIn(v, "root"), Provider: v.GetText("provider"), Model: v.GetText("model"),
		Prompt: saidFrom(prompt), Answer: saidFrom(answer), TokensIn: v.GetInt("in"), TokensOut: v.GetInt("out"),
		Cost: cost.Float(), Took: time.Duration(v.GetInt("took")), Error: v.GetText("error")}
}

func saidFrom(v sexpr.Value) Said {
	digest, _ := sexpr.ParseDigest(v.GetText("digest")) // zero says that it cannot be read
	return Said{Digest: digest, Bytes: int(v.GetInt("bytes")), Text: v.GetText("text")}
}

func (t Think) summary(Show) string {
	text := fmt.Sprintf("for %d  %s", t.Root, t.Provider)
	if t.Model != "" {
		text += " " + t.Model
	}
	if t.Error != "" {
		return text + "  " + t.Error
	}
	return text + fmt.Sprintf("  %d tokens in, %d out", t.TokensIn, t.TokensOut)
}
