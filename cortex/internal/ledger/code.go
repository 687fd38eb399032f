package ledger

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// Code returns the twelve digits that every card of an approval shows. The engine makes
// them from the token and the second digest, with a key of this record. Two people who
// read the same digits to each other look at the same bytes. Without the key, a card with
// these digits cannot be made.
func (l *Ledger) Code(a *approval.Approval) (string, error) {
	secret, err := l.J.Get(record.TableSetting.Key(record.SettingCard))
	if err != nil {
		return "", err
	}
	if len(secret) != codeKey {
		return "", errors.New("this record has no key for cards; an engine makes one when it runs on it")
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("cortex/card/1\n" + a.Token + "\n" + a.Bound.String())) // never fails
	return fmt.Sprintf("%012d", binary.BigEndian.Uint64(mac.Sum(nil))%1_000_000_000_000), nil
}

// codeKey is the size of the key for cards, in bytes.
const codeKey = 32

// MakeCodeKey makes the key for cards, once for a record.
func MakeCodeKey(tx *journal.Tx) error {
	old, err := tx.Get(record.TableSetting.Key(record.SettingCard))
	if err != nil || old != nil {
		return err
	}
	secret := make([]byte, codeKey)
	_, err = rand.Read(secret)
	tx.Set(record.TableSetting.Key(record.SettingCard), secret)
	return err
}
