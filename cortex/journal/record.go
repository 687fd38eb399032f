package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"github.com/opencortex-go/cortex/sexpr"
)

// The stored form of a record is one line, a canonical plist:
//
//	(:hash "sha256:..." :prev "sha256:..."
//	 :record (:at 1 :body (...) :kind "signal" :seq 1 :session "cli"))
//
// Its hash is SHA-256 of recordDomain, a newline, and the canonical plist that
// is left without :hash. A record has exactly one stored form: what decodes to
// it and is spelled otherwise counts as damaged, so no byte can change unseen.
const recordDomain = "cortex/record/1"

// MaxRecord is how long the stored form of a record may be, in bytes.
const MaxRecord = 64 << 20

const (
	tableRecord = 'e'
	keyLen      = 1 + 8
	hashPrefix  = `(:hash "`
	digestLen   = len("sha256:") + 2*sha256.Size
	maxSeq      = math.MaxInt64
)

// maxDepth is how deep a record may nest: as deep as sexpr prints.
const maxDepth = 1000

// reader takes back whatever was appended: nothing that encodes is refused.
var reader = sexpr.Reader{Limits: sexpr.Limits{Bytes: MaxRecord, Depth: maxDepth, Atoms: MaxRecord, String: MaxRecord}}

func recordKey(seq uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{tableRecord}, seq)
}

// headKey sorts behind the keys of all records.
func headKey() []byte { return []byte{tableRecord, 0xff} }

// endOfTable is the first key behind the journal's own.
func endOfTable() []byte { return []byte{tableRecord + 1} }

// seal checks r, fills in its hash and returns its stored form.
func seal(r *Record) ([]byte, error) {
	switch {
	case r.Kind == "":
		return nil, errors.New("a record needs a kind")
	case !r.Body.IsNil() && !r.Body.IsObject():
		return nil, fmt.Errorf("the body of a %s is a %s: want a plist", r.Kind, r.Body.Kind())
	case r.Seq > maxSeq:
		return nil, fmt.Errorf("sequence number %d: want at most %d", r.Seq, uint64(maxSeq))
	}
	raw := make([]byte, 0, 512)
	raw = append(raw, hashPrefix...)
	raw = append(raw, make([]byte, digestLen)...)
	raw = append(raw, '"')
	at := len(raw) // where "(:prev" begins, its parenthesis to become a space
	raw, err := sexpr.AppendCanonical(raw, sexpr.Plist(
		"prev", sexpr.Str(r.Prev.String()),
		"record", sexpr.Plist(
			"at", sexpr.Int64(r.At), "body", r.Body, "kind", sexpr.Str(r.Kind),
			"seq", sexpr.Int64(int64(r.Seq)), "session", sexpr.Str(r.Session))))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Kind, err)
	}
	if len(raw) > MaxRecord {
		return nil, fmt.Errorf("a %s of %d bytes: want at most %d", r.Kind, len(raw), MaxRecord)
	}
	r.Hash = contentHash(raw[at:])
	raw[at] = ' '
	hash := raw[len(hashPrefix):]
	hex.Encode(hash[copy(hash, "sha256:"):], r.Hash[:])
	return raw, nil
}

func contentHash(content []byte) sexpr.Digest {
	h := sha256.New()
	h.Write([]byte(recordDomain + "\n"))
	h.Write(content)
	return sexpr.Digest(h.Sum(nil))
}

// decode reads a stored record. It takes exactly what seal writes.
func decode(raw []byte) (Record, error) {
	v, err := reader.Read("record", string(raw))
	if err != nil {
		return Record{}, err
	}
	var r Record
	inner, ok := v.Get("record")
	if !ok {
		return Record{}, errors.New("there is no :record in it")
	}
	if r.Hash, err = sexpr.ParseDigest(v.GetText("hash")); err != nil {
		return Record{}, fmt.Errorf(":hash: %w", err)
	}
	if r.Prev, err = sexpr.ParseDigest(v.GetText("prev")); err != nil {
		return Record{}, fmt.Errorf(":prev: %w", err)
	}
	r.At, r.Seq = inner.GetInt("at"), uint64(inner.GetInt("seq"))
	r.Kind, r.Session = inner.GetText("kind"), inner.GetText("session")
	r.Body, _ = inner.Get("body")
	stated := r.Hash
	again, err := seal(&r)
	switch {
	case err != nil:
		return Record{}, err
	case stated != r.Hash:
		return Record{}, fmt.Errorf("its hash is %s, its content has %s", stated, r.Hash)
	case !bytes.Equal(raw, again):
		return Record{}, errors.New("it is not spelled as records are")
	}
	return r, nil
}

// decodeAt reads the record that is stored under seq.
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

// headDomain begins what the head's own sum is taken over. The sum tells a
// damaged head from a chain that does not reach as far as its head says.
const headDomain = "cortex/head/1"

// seal returns the head's stored form, again one canonical plist.
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

// HeadIn returns the number of the newest record where w is the write that says so:
// each commit with records has one. It tells whoever looks at damaged commits how
// many records they held.
func HeadIn(w Write) (seq uint64, ok bool) {
	if !bytes.Equal(w.Key, headKey()) {
		return 0, false
	}
	h, err := decodeHead(w.Value)
	return h.Seq, err == nil
}

// RecordIn returns the number of the record whose key w has, 0 if it is no record's.
func RecordIn(w Write) uint64 {
	if len(w.Key) != keyLen || w.Key[0] != tableRecord {
		return 0
	}
	return seqOf(w.Key)
}
