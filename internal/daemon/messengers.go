package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/signal"
	"github.com/opencortex-go/cortex/gateways/telegram"
)

// Telegram is a bot. Its token is never in the settings, only the name of the
// file that holds it.
type Telegram struct {
	TokenFile string   `toml:"token_file"` // "" means the systemd credential telegram-token
	URL       string   `toml:"url"`        // of the Bot API; "" means Telegram's
	Webhook   *Webhook `toml:"webhook"`    // nil: updates are polled for
}

// Webhook configures the webhook for Telegram's updates.
type Webhook struct {
	Listen     string `toml:"listen"`      // host:port, plain HTTP behind a TLS proxy
	URL        string `toml:"url"`         // the public address, registered with Telegram
	SecretFile string `toml:"secret_file"` // "" means the systemd credential telegram-secret
}

// Signal is an account that signal-cli's daemon speaks for.
type Signal struct {
	Socket string            `toml:"socket"`         // of signal-cli's daemon
	TCP    string            `toml:"tcp"`            // host:port of it, instead
	UUID   string            `toml:"uuid"`           // our own account's
	Number string            `toml:"number"`         // our own account's, where the daemon serves several
	Keys   map[string]string `toml:"keys,omitempty"` // pinned fingerprints, by uuid
}

// Account is a person, with the accounts and chats in messengers in which they
// may speak and answer.
type Account struct {
	Name     string           `toml:"name"` // the principal
	Roles    []string         `toml:"roles,omitempty"`
	Classes  []string         `toml:"classes,omitempty"` // approver classes
	Telegram *TelegramAccount `toml:"telegram"`
	Signal   *SignalAccount   `toml:"signal"`
}

// TelegramAccount identifies a person in Telegram, by numbers.
type TelegramAccount struct {
	User  int64   `toml:"user"`
	Chats []int64 `toml:"chats,omitempty"` // unset: the private chat, whose number is the user's
}

// SignalAccount identifies a person in Signal.
type SignalAccount struct {
	UUID   string   `toml:"uuid"`
	Groups []string `toml:"groups,omitempty"` // group ids, besides the private chat
}

// messengers makes gateways and the allow-list from the configuration. bot is nil
// unless updates come by webhook.
func (c *Config) messengers(log *slog.Logger) (opt gateways.Options, bot *telegram.Gateway, err error) {
	var faults Faults
	add := func(key string, err error) {
		if err != nil {
			faults = append(faults, c.fault(key, "%v", err))
		}
	}
	if t := c.Telegram; t != nil {
		g, err := t.gateway(log)
		add("telegram", err)
		if err == nil {
			opt.Gateways = append(opt.Gateways, g)
			if t.Webhook != nil {
				bot = g
			}
		}
	}
	if s := c.Signal; s != nil {
		g, err := s.gateway(log)
		add("signal", err)
		if err == nil {
			opt.Gateways = append(opt.Gateways, g)
		}
	}
	people := map[string]bool{}
	for _, a := range c.Accounts {
		add("accounts", c.account(a, people[a.Name]))
		people[a.Name] = true
		opt.Accounts = append(opt.Accounts, c.places(a)...)
	}
	if len(faults) == 0 { // else a gateway may be missing only because of its own fault
		add("accounts", gateways.Check(opt.Gateways, opt.Accounts))
	}
	return opt, bot, faults.orNil()
}

// account returns the faults of one entry of the allow-list.
func (c *Config) account(a Account, twice bool) error {
	switch {
	case a.Name == "":
		return errors.New("an account has no name: the person's, as rules and cards show it")
	case twice:
		return fmt.Errorf("%q stands here twice, expected one table with all the accounts of a person", a.Name)
	case a.Name == c.Agent:
		return fmt.Errorf("%q is the agent, which cannot answer its own cards", a.Name)
	case a.Telegram == nil && a.Signal == nil:
		return fmt.Errorf("%q has neither telegram nor signal", a.Name)
	case a.Telegram != nil && a.Telegram.User <= 0:
		return fmt.Errorf("%q: telegram.user is missing: the person's number, never a name", a.Name)
	case a.Signal != nil && !uuid(a.Signal.UUID):
		return fmt.Errorf("%q: signal.uuid %q is not a uuid, expected one such as 3e1f0c6a-8a54-4a5e-9a0f-3b6a3e5d9c10",
			a.Name,
			a.Signal.UUID)
	}
	return nil
}

// places are the entries of the allow-list for a person's accounts.
func (c *Config) places(a Account) (list []gateways.Account) {
	base := gateways.Account{Principal: a.Name, Roles: a.Roles, Classes: c.classesOf(a)}
	add := func(gateway, user, chat string) {
		x := base
		x.Gateway, x.User, x.Chat = gateway, user, chat
		list = append(list, x)
	}
	if t := a.Telegram; t != nil {
		chats := t.Chats
		if len(chats) == 0 {
			chats = []int64{t.User}
		}
		for _, chat := range chats {
			add("telegram", strconv.FormatInt(t.User, 10), strconv.FormatInt(chat, 10))
		}
	}
	if s := a.Signal; s != nil {
		add("signal", s.UUID, s.UUID)
		for _, id := range s.Groups {
			add("signal", s.UUID, "group:"+id)
		}
	}
	return list
}

// classesOf are the approver classes of a person: those of the account, and
// those in which approvals.classes lists the name.
func (c *Config) classesOf(a Account) []string {
	classes := slices.Clone(a.Classes)
	for _, class := range slices.Sorted(maps.Keys(c.Approvals.Classes)) {
		if slices.Contains(c.Approvals.Classes[class], a.Name) && !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
	}
	return classes
}

func uuid(s string) bool {
	parts := strings.Split(s, "-")
	ok := len(parts) == 5 && strings.Trim(s, "0123456789abcdef-") == ""
	for i, n := range []int{8, 4, 4, 4, 12} {
		ok = ok && len(parts[i]) == n
	}
	return ok
}

// gateway makes the bot.
func (t *Telegram) gateway(log *slog.Logger) (*telegram.Gateway, error) {
	token, err := secretFrom("token_file", t.TokenFile, "telegram-token")
	if err != nil {
		return nil, err
	}
	opt := telegram.Options{Token: token, URL: t.URL, Logger: log}
	if w := t.Webhook; w != nil {
		if w.Listen == "" {
			return nil, errors.New("webhook.listen is missing: host:port, where updates arrive")
		}
		if w.URL != "" && !strings.HasPrefix(w.URL, "https://") && t.URL == "" {
			return nil, fmt.Errorf("webhook.url %q: Telegram brings updates to https addresses only", w.URL)
		}
		if opt.Secret, err = secretFrom("webhook.secret_file", w.SecretFile, "telegram-secret"); err != nil {
			return nil, err
		}
		if len(opt.Secret) < 16 {
			return nil, errors.New("webhook.secret_file: the secret is shorter than 16 characters")
		}
		opt.Hook = w.URL
	}
	return telegram.New(opt)
}

// gateway makes the Signal account.
func (s *Signal) gateway(log *slog.Logger) (*signal.Gateway, error) {
	switch {
	case (s.Socket == "") == (s.TCP == ""):
		return nil, errors.New("expected either socket or tcp: where signal-cli's daemon listens")
	case !uuid(s.UUID):
		return nil, fmt.Errorf("uuid %q is not a uuid: our own account's is required", s.UUID)
	}
	address := "unix:" + s.Socket
	if s.TCP != "" {
		address = "tcp:" + s.TCP
	}
	return signal.New(signal.Options{Address: address, Account: s.Number, UUID: s.UUID, Keys: s.Keys, Logger: log})
}

// secretFrom reads a secret from a file that only its owner may read, or from a
func secretFrom(setting, file, credential string) (string, error) {
	given := os.Getenv("CREDENTIALS_DIRECTORY")
	if file == "" && given != "" {
		file = filepath.Join(given, credential)
	}
	if file == "" {
		return "", fmt.Errorf("%s is missing, and systemd gave no credential %s", setting, credential)
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", setting, err)
	}
	// systemd credential. Errors never hold the secret.
	// systemd protects its own folder, with rights that a mode does not show.
	if info.Mode().Perm()&0o077 != 0 && (given == "" || filepath.Dir(file) != filepath.Clean(given)) {
		return "", fmt.Errorf("%s: others can read %s (mode %04o); chmod 600 %s", setting, file, info.Mode().Perm(), file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", setting, err)
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" {
		return "", fmt.Errorf("%s: %s is empty", setting, file)
	}
	return secret, nil
}
