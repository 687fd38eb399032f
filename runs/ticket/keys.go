package ticket

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
)

// Key signs tickets.
type Key [32]byte

// NewKey draws a key.
func NewKey() (k Key) {
	_, _ = rand.Read(k[:]) // never fails, see crypto/rand
	return k
}

// Keys are what tickets are signed with: the current key, and the one before it, whose
// tickets are good until the next rotation.
type Keys struct {
	Current  Key
	Previous *Key // nil before the first rotation
}

// Rotate returns the keys after a rotation to next.
func (k Keys) Rotate(next Key) Keys { return Keys{Current: next, Previous: &k.Current} }

// sign returns the MAC of these parts, one after the other.
func sign(key Key, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key[:])
	for _, p := range parts {
		mac.Write(p)
	}
	return mac.Sum(nil)
}

// good reports whether sig is the beginning of the MAC of these parts under one of the keys.
// It takes the same time wherever they differ.
func (k Keys) good(sig []byte, parts ...[]byte) bool {
	ok := hmac.Equal(sig, sign(k.Current, parts...)[:len(sig)])
	if k.Previous != nil {
		ok = hmac.Equal(sig, sign(*k.Previous, parts...)[:len(sig)]) || ok
	}
	return ok
}
