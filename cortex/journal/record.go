package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/sexpr"
)

// The stored form of a record is one line, a canonical plist:
//
//	(:hash "sha256:..." :prev "sha256:..."
//	 :record (:at 1 :body (...) :kind "signal" :seq 1 :session "cli"))
//
// Its hash is SHA-256 of recordDomain, a newline, and the canonical plist without
// :hash. A record has exactly one stored form: any other spelling counts as
// damaged, so no byte can change undetected.
const recordDomain = "cortex/record/1"

// MaxRecord bounds the stored form of a record, in bytes.
const MaxRecord = 64 << 20

const (
	tableRecord = 'e'
	keyLen      = 1 + 8
	hashPrefix  = `(:hash "`
	digestLen   = len("sha256:") + 2*sha256.Size
	maxSeq      = math.MaxInt64
)

// maxDepth bounds the nesting of a record: as deep as sexpr prints.
const maxDepth = 1000

// reader reads every record that can be encoded.
var reader = sexpr.Reader{Limits: sexpr.Limits{Bytes: MaxRecord, Depth: maxDepth, Atoms: MaxRecord, String: MaxRecord}}

func recordKey(seq uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{tableRecord}, seq)
}

// headKey sorts behind the keys of all records.
func headKey() []byte { return []byte{tableRecord, 0xff} }

// endOfTable is the first key behind the journal's own.
func endOfTable() []byte { return []byte{tableRecord + 1} }

// Body is the content of a record, checked and printed. Making one is most of the
// work of [Tx.Append] and does not need the writer, so callers can do it in parallel.
type Body struct{ text []byte }

// bodyDepth is the number of lists around a body, which limits its own depth.
const bodyDepth = 2

// NewBody makes the body of a record from a plist (or nil, or {}). It returns an
// error for anything else, and for a plist without a canonical form.
func NewBody(v sexpr.Value) (Body, error) {
	if !v.IsNil() && !v.IsObject() {
		return Body{}, fmt.Errorf("the body is a %s: want a plist", v.Kind())
	}
	text, err := sexpr.AppendCanonicalIn(make([]byte, 0, 1024), bodyDepth, v)
	return Body{text}, err
}

// PrintBody makes a body from the members that put writes, in canonical order,
// without building a value. The body is valid until w is used again.
func PrintBody(w *plist.Writer, put func(plist.Sink)) (Body, error) {
	w.Begin(bodyDepth)
	put(w)
	text, err := w.End()
	return Body{text}, err
}

// Value returns the body's plist, in canonical order.
func (b Body) Value() (sexpr.Value, error) { return reader.Read("body", string(b.text)) }

// sealedSize is the space that seal needs for r, if no name in it must be quoted.
func sealedSize(r *Record, text []byte) int { return len(text) + len(r.Kind) + len(r.Session) + 300 }

// seal checks r, whose body is printed in text, fills in its hash and returns its
// stored form, which it writes into the given space.
func seal(room []byte, r *Record, text []byte) (raw []byte, err error) {
	switch {
	case r.Kind == "":
		return nil, errors.New("a record needs a kind")
	case len(text) == 0:
		return nil, errors.New("a record needs a body: nil is one, and NewBody makes it")
	case r.Seq > maxSeq:
		return nil, fmt.Errorf("sequence number %d: want at most %d", r.Seq, uint64(maxSeq))
	}
	raw = append(room[:0], hashPrefix...)
	raw = append(raw, make([]byte, digestLen)...)
	raw = append(raw, '"')
	at := len(raw) // where "(:prev" begins, its parenthesis to become a space
	raw = append(r.Prev.Append(append(raw, `(:prev "`...)), `" :record (:at `...)
	raw = append(strconv.AppendInt(raw, r.At, 10), " :body "...)
	raw = append(append(raw, text...), " :kind "...)
	if raw, err = sexpr.AppendCanonical(raw, sexpr.Str(r.Kind)); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Kind, err)
	}
	raw = append(strconv.AppendUint(append(raw, " :seq "...), r.Seq, 10), " :session "...)
	if raw, err = sexpr.AppendCanonical(raw, sexpr.Str(r.Session)); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Kind, err)
	}
	raw = append(raw, "))"...)
	if len(raw) > MaxRecord {
		return nil, fmt.Errorf("a %s of %d bytes: want at most %d", r.Kind, len(raw), MaxRecord)
	}
	r.Hash = contentHash(raw[at+1:])
	raw[at] = ' '
	hash := raw[len(hashPrefix):]
	hex.Encode(hash[copy(hash, "sha256:"):], r.Hash[:])
	return raw, nil
}

// sealed is seal for a record whose body is not printed yet.
func sealed(r *Record) ([]byte, error) {
	body, err := NewBody(r.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Kind, err)
	}
	return seal(nil, r, body.text)
}

// contentHash is the hash of a plist without :hash, given its text after the opening
// parenthesis.
func contentHash(rest []byte) sexpr.Digest {
	h := sha256.New()
	h.Write([]byte(recordDomain + "\n("))
	h.Write(rest)
	return sexpr.Digest(h.Sum(nil))
}

// decode reads a stored record. It returns an error for anything but the output of
// seal.
func decode(raw []byte) (Record, error) {
	text := string(raw)
	if r, ok := decodeSealed(raw, text); ok {
		return r, nil
	}
	v, err := reader.Read("record", text)
	if err != nil {
		return Record{}, err
	}
	r, err := recordFrom(v)
	if err != nil {
		return Record{}, err
	}
	stated := r.Hash
	again, err := sealed(&r)
	switch {
	case err != nil:
		return Record{}, err
	case stated != r.Hash:
		return Record{}, fmt.Errorf("its hash is %s, its content has %s", stated, r.Hash)
	case text != string(again):
		return Record{}, errors.New("it is not spelled as records are")
	}
	return r, nil
}

// decodeSealed reads the output of seal, given as bytes and as text, in one pass. It
// returns false for anything else; the slow path then finds the error. A canonical
// text with exactly these members, each of its kind, is the output of seal, so only
// the hash remains to be compared.
func decodeSealed(raw []byte, text string) (Record, bool) {
	v, ok := sexpr.ReadCanonical(text)
	if !ok || !hasKeys(v, "hash", "prev", "record") {
		return Record{}, false
	}
	inner := v.Items()[5]
	if !hasKeys(inner, "at", "body", "kind", "seq", "session") {
		return Record{}, false
	}
	in := inner.Items()
	at, body, kind, seq, session := in[1], in[3], in[5], in[7], in[9]
	if at.Kind() != sexpr.Int || seq.Kind() != sexpr.Int || seq.Int() < 0 || !body.IsNil() && !body.IsObject() ||
		kind.Kind() != sexpr.String || kind.Text() == "" || session.Kind() != sexpr.String {
		return Record{}, false
	}
	r, err := recordFrom(v)
	return r, err == nil && r.Hash == contentHash(raw[len(hashPrefix)+digestLen+len(`" `):])
}

// hasKeys reports whether v is a plist of exactly these keys, in this order.
func hasKeys(v sexpr.Value, keys ...string) bool {
	items := v.Items()
	if len(items) != 2*len(keys) {
		return false
	}
	for i, key := range keys {
		if !items[2*i].IsKey(key) {
			return false
		}
	}
	return true
}

// recordFrom reads a record from its plist.
func recordFrom(v sexpr.Value) (r Record, err error) {
	inner, ok := v.Get("record")
	if !ok {
		return r, errors.New("there is no :record in it")
	}
	if r.Hash, err = sexpr.ParseDigest(v.GetText("hash")); err != nil {
		return r, fmt.Errorf(":hash: %w", err)
	}
	if r.Prev, err = sexpr.ParseDigest(v.GetText("prev")); err != nil {
		return r, fmt.Errorf(":prev: %w", err)
	}
	r.At, r.Seq = inner.GetInt("at"), uint64(inner.GetInt("seq"))
	r.Kind, r.Session = inner.GetText("kind"), inner.GetText("session")
	r.Body, _ = inner.Get("body")
	return r, nil
}

// decodeAt reads the record stored under seq.
func decodeAt(seq uint64, raw []byte) (Record, error) {
	r, err := decode(raw)
	if err == nil && r.Seq != seq {
		err = fmt.Errorf("it says that it is record %d", r.Seq)
	}
	if err != nil {
		return Record{}, &Damage{Seq: seq, Err: err}
	}
	return r, nil
}

// headDomain is the hash domain of the head's checksum. The checksum distinguishes
// a damaged head from a chain that ends before its head.
const headDomain = "cortex/head/1"

// seal returns the head's stored form, also one canonical plist.
func (h Head) seal() []byte {
	content := fmt.Sprintf("(:hash %q :seq %d", h.Hash, h.Seq)
	return fmt.Appendf(nil, "%s :sum %q)", content, sexpr.DigestText(headDomain, content+")"))
}

func decodeHead(raw []byte) (Head, error) {
	v, err := sexpr.Read("head", string(raw))
	if err != nil {
		return Head{}, err
	}
	h := Head{Seq: uint64(v.GetInt("seq"))}
	if h.Hash, err = sexpr.ParseDigest(v.GetText("hash")); err != nil {
		return Head{}, err
	}
	if !bytes.Equal(raw, h.seal()) {
		return Head{}, errors.New("it is not what was written")
	}
	return h, nil
}

// HeadIn returns the number of the newest record if w writes the head, as every
// commit with records does. It shows how many records a damaged commit held.
func HeadIn(w Write) (seq uint64, ok bool) {
	if !bytes.Equal(w.Key, headKey()) {
		return 0, false
	}
	h, err := decodeHead(w.Value)
	return h.Seq, err == nil
}

// HeadKey returns the head's key in a store.
func HeadKey() []byte { return headKey() }

// KeysTo returns the range of a store's keys for the records up to one: lo
// (inclusive) to hi (exclusive).
func KeysTo(seq uint64) (lo, hi []byte) { return recordKey(1), recordKey(seq + 1) }

// RecordIn returns the number of the record that w writes, 0 if it writes none.
func RecordIn(w Write) uint64 {
	if len(w.Key) != keyLen || w.Key[0] != tableRecord {
		return 0
	}
	return seqOf(w.Key)
}
