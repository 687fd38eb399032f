package signal

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// identity is one key that signal-cli has seen for a person.
type identity struct {
	UUID        string `json:"uuid"`
	Fingerprint string `json:"fingerprint"`
	Trust       string `json:"trustLevel"`
	Added       int64  `json:"addedTimestamp"`
}

// suspended says why a person is suspended; "" if not. Their newest key must be
// trusted by signal-cli, be the pinned one if there is one, and be the one that this
// process saw first.
func (g *Gateway) suspended(ctx context.Context, uuid string) (string, error) {
	var all []identity
	err := g.call(ctx, "listIdentities", map[string]any{"number": uuid}, &all)
	var r *rpcError
	if errors.As(err, &r) && r.Code == codeUser {
		return "signal-cli knows no key of theirs", nil
	}
	if err != nil {
		return "", err
	}
	var now identity
	for _, i := range all {
		if i.UUID == uuid && i.Added >= now.Added {
			now = i
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	pinned, first := g.opt.Keys[uuid], g.known[uuid]
	switch {
	case now.Fingerprint == "":
		return "signal-cli knows no key of theirs", nil
	case !strings.HasPrefix(now.Trust, "TRUSTED"):
		return fmt.Sprintf("their key has changed and is not trusted (%s)", short(now.Fingerprint)), nil
	case pinned != "" && pinned != now.Fingerprint:
		return fmt.Sprintf("their key is not the pinned one (%s)", short(now.Fingerprint)), nil
	case first != "" && first != now.Fingerprint && now.Trust != "TRUSTED_VERIFIED":
		return fmt.Sprintf("their key has changed since this program started and was not verified (%s)",
			short(now.Fingerprint)), nil
	}
	g.known[uuid] = now.Fingerprint
	return "", nil
}

// short is the beginning of a fingerprint, enough to tell keys apart.
func short(fingerprint string) string { return fingerprint[:min(len(fingerprint), 24)] }
