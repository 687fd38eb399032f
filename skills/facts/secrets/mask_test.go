package secrets

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMask(t *testing.T) {
	mask := NewMask()
	key := "sk-" + strings.Repeat("aB3dE5gH", 4)
	pem := "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc/def+gh==\n-----END RSA PRIVATE KEY-----"
	github := "ghp_" + strings.Repeat("a1B2", 9)
	for in, want := range map[string]string{
		"": "",
		"curl -H 'Authorization: Bearer " + github +
			"' https://api.example.com/x": "curl -H 'Authorization: Bearer [github-token]' https://api.example.com/x",
		"cat /home/ann/.ssh/id_rsa":  "cat /home/ann/.ssh/id_rsa",
		"/srv/" + github + "/file":   "/srv/[github-token]/file",
		"before\n" + pem + "\nafter": "before\n[private-key]\nafter",
		"cut " + pem[:60]:            "cut [private-key]",
		`key "` + key + `"`:          `key "[openai-api-key]"`,
		github + " " + github:        "[github-token] [github-token]",
		"echo " + base64.StdEncoding.EncodeToString([]byte("the token is "+github)) +
			" | base64 -d": "echo [github-token]= | base64 -d",
	} {
		assert.Equal(t, want, mask(in), in)
	}
	assert.NotContains(t, mask("export OPENAI_API_KEY="+key), key)
	// Whatever the scanner finds is gone once it is masked.
	s, err := load()
	assert.NoError(t, err)
	for _, text := range []string{key, "x=" + key + ";y=" + github, pem, "AKIA" + strings.Repeat("Z7", 8)} {
		assert.NotEmpty(t, s.Kinds(text))
		assert.Empty(t, s.Kinds(mask(text)), text)
	}
	wrapped := wrap(base64.StdEncoding.EncodeToString([]byte("the token is " + github + ", and more")))
	assert.Equal(t, "now [github-token] and [openai-api-key].", mask("now "+wrapped+" and "+key+"."),
		"one secret does not hide another that is wrapped over several lines")
}
