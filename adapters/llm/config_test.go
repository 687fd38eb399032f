package llm

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason/model"
)

func TestWrongSettings(t *testing.T) {
	t.Setenv("LLM_TEST_KEY", testKey)
	t.Setenv("LLM_TEST_EMPTY", "  ")
	t.Setenv("LLM_TEST_LINES", testKey+"\nX-Evil: 1")
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	good := Config{Name: "a", Kind: OpenAI, URL: "https://a.example/v1", Model: "m", KeyEnv: "LLM_TEST_KEY"}
	tests := []struct {
		change func(*Config)
		is     string
	}{
		{func(c *Config) { c.Name = "" }, "name: expected letters"},
		{func(c *Config) { c.Name = "a b" }, "name: expected letters"},
		{func(c *Config) { c.Kind = "gpt" }, `kind: "gpt" is unknown, expected one of openai, openai-responses, anthropic, exec, scripted`},
		{func(c *Config) { c.Model = "" }, "model: expected"},
		{func(c *Config) { c.Key = testKey }, "key: a key does not belong into a configuration"},
		{func(c *Config) { c.URL = "a.example/v1" }, "url: expected one that begins with https://"},
		{func(c *Config) { c.URL = "https://me:" + testKey + "@a.example" }, "url: holds a name or a password"},
		{func(c *Config) { c.URL = "https://a.example/%zz" + testKey }, "url: cannot be read"},
		{func(c *Config) { c.URL = "https://a.example/#x" }, "url: has a fragment"},
		{func(c *Config) { c.URL = "http://a.example/v1" }, "url: the key would go to a.example without encryption"},
		{func(c *Config) { c.KeyEnv = "LLM_TEST_NONE" }, "key_env: the environment variable LLM_TEST_NONE is not set"},
		{func(c *Config) { c.KeyEnv = "LLM_TEST_EMPTY" }, "key_env: the environment variable LLM_TEST_EMPTY is not set"},
		{func(c *Config) { c.KeyEnv = "LLM_TEST_LINES" }, "key_env: holds something else than a key"},
		{func(c *Config) { c.KeyFile = "x" }, "expected one of the two"},
		{func(c *Config) { c.KeyEnv, c.KeyFile = "", "/no/such/file" }, "key_file: open /no/such/file"},
		{func(c *Config) { c.KeyEnv, c.KeyFile = "", empty }, "is empty"},
		{func(c *Config) { c.Timeout = -1 }, "timeout: -1, expected 0 or more"},
		{func(c *Config) { c.Timeout = 90 }, `timeout: 90 has no unit, expected a time such as "90s"`},
		{func(c *Config) { c.PriceIn = math.NaN() }, "price_in: NaN"},
		{func(c *Config) { c.PriceOut = math.Inf(1) }, "price_out: +Inf"},
		{func(c *Config) { c.MaxTokens = -5 }, "max_tokens: -5"},
		{func(c *Config) {
			c.Headers = map[string]string{"authorization": "x"}
		}, "headers: authorization cannot be set here"},
		{func(c *Config) { c.Headers = map[string]string{"a b": "x"} }, "is not a header name"},
		{func(c *Config) { c.Headers = map[string]string{"X": "a\r\nY: b"} }, "not printable ASCII"},
		{func(c *Config) { c.KeyHeader = "a b" }, "key_header: expected"},
		{func(c *Config) { c.Options = map[string]any{"messages": 1} }, "options: messages is not"},
		{func(c *Config) { c.Options = map[string]any{"x": math.NaN()} }, "options: json"},
		{func(c *Config) { c.Command = []string{"x"} }, "command: has no meaning for the kind openai"},
		{func(c *Config) { *c = Config{Name: "a", Kind: Exec} }, "command: expected the program"},
		{func(c *Config) { *c = Config{Name: "a", Kind: Exec, Command: []string{"no-such-program-here"}} }, "command: exec"},
		{func(c *Config) {
			*c = Config{Name: "a", Kind: Exec, Command: []string{"sh"}, Format: "xml"}
		}, `format: "xml" is unknown`},
		{func(c *Config) {
			*c = Config{Name: "a", Kind: Exec, Command: []string{"sh"}, Env: []string{"A=b"}}
		}, "env: expected names"},
		{func(c *Config) {
			*c = Config{Name: "a", Kind: Exec, Command: []string{"sh"}, Env: []string{"LLM_TEST_NONE"}}
		}, "LLM_TEST_NONE is not set"},
		{func(c *Config) {
			*c = Config{Name: "a", Kind: Exec, Command: []string{"sh"}, Model: "m"}
		}, "model: has no meaning"},
		{func(c *Config) {
			*c = Config{Name: "a", Kind: Exec, Command: []string{"sh"}, Dir: "/no/such"}
		}, "dir: stat"},
		{func(c *Config) {
			*c = Config{Name: "a", Kind: Exec, Command: []string{"sh"}, Dir: empty}
		}, "is not a folder"},
		{func(c *Config) { *c = Config{Name: "a", Kind: Scripted} }, "file: expected"},
		{func(c *Config) { *c = Config{Name: "a", Kind: Scripted, File: "/no/such"} }, "file: open"},
		{func(c *Config) { *c = Config{Name: "a", Kind: Scripted, File: empty, Retries: 2} }, "retries: has no meaning"},
	}
	for _, test := range tests {
		cfg := good
		test.change(&cfg)
		p, err := New(cfg)
		assert.Nil(t, p)
		if assert.Error(t, err, test.is) {
			assert.Contains(t, err.Error(), test.is)
			assert.NotContains(t, err.Error(), testKey)
		}
	}
	_, err := New(good)
	assert.NoError(t, err)
	_, err = New(Config{Kind: OpenAI, Key: "x", Timeout: -1})
	assert.ErrorContains(t, err, "name:")
	assert.ErrorContains(t, err, "key:")
	assert.ErrorContains(t, err, "timeout:", "all at once")
	for _, local := range []string{"http://localhost:1/v1", "http://127.0.0.1:1", "http://[::1]:1/"} {
		cfg := good
		cfg.URL = local
		_, err = New(cfg)
		assert.NoError(t, err, local)
	}
}

func TestConfigIsToml(t *testing.T) {
	var got struct {
		Providers []Config `toml:"providers"`
	}
	d := toml.NewDecoder(strings.NewReader(`
[[providers]]
name = "small"
kind = "openai"
url = "https://a.example/v1"
model = "m"
key_env = "A"
timeout = "1m30s"
pause = "5s"
retries = 1
price_in = 0.5
headers = { X-Title = "t" }
options = { temperature = 0.2 }
[[providers]]
name = "mine"
kind = "exec"
command = ["cat", "-"]
`))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&got))
	assert.Equal(t, []Config{
		{Name: "small", Kind: OpenAI, URL: "https://a.example/v1", Model: "m", KeyEnv: "A",
			Timeout: Duration(90 * time.Second), Pause: Duration(5 * time.Second),
			Retries: 1, PriceIn: 0.5, Headers: map[string]string{"X-Title": "t"}, Options: map[string]any{"temperature": 0.2}},
		{Name: "mine", Kind: Exec, Command: []string{"cat", "-"}},
	}, got.Providers)
	var x struct{ D Duration }
	assert.ErrorContains(t, toml.Unmarshal([]byte(`D = "soon"`), &x), "is not a duration")
	text, err := Duration(90 * time.Second).MarshalText()
	require.NoError(t, err)
	assert.Equal(t, "1m30s", string(text))
}

func TestLimitsOfAProvider(t *testing.T) {
	p := connect(t, OpenAI, "https://a.example", func(c *Config) {
		c.Timeout, c.Failures, c.Pause, c.Retries = Duration(time.Minute), 3, Duration(time.Second), 2
	})
	assert.Equal(t, model.Limits{Timeout: 2 * time.Minute, Failures: 3, Pause: time.Second}, model.Limited(p).Limits())
	s, err := New(Config{Name: "s", Kind: Exec, Command: []string{"sh"}})
	require.NoError(t, err)
	assert.Equal(t, model.Limits{}, s.(model.Limited).Limits(), "the engine's")
	s, err = New(Config{Name: "s", Kind: Exec, Command: []string{"sh"}, Timeout: Duration(time.Minute)})
	require.NoError(t, err)
	assert.Equal(t, model.Limits{Timeout: time.Minute}, s.(model.Limited).Limits(), "one try")
}

// However a provider is printed, its key is not.
func TestKeysDoNotPrint(t *testing.T) {
	t.Setenv("LLM_TEST_KEY", testKey)
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, []byte("  "+testKey+"\n"), 0o600))
	exec, err := New(Config{Name: "e", Kind: Exec, Command: []string{"sh"}, Env: []string{"LLM_TEST_KEY"}})
	require.NoError(t, err)
	fromFile, err := New(Config{Name: "f", Kind: Anthropic, Model: "m", KeyFile: file})
	require.NoError(t, err)
	for _, p := range []model.Provider{connect(t, OpenAI, "https://a.example"), exec, fromFile} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			assert.NotContains(t, fmt.Sprintf(verb, p), testKey)
			assert.NotContains(t, fmt.Sprintf(verb, p), fmt.Sprintf("%x", testKey))
		}
	}
}

func TestSecretsInTexts(t *testing.T) {
	s := keep(testKey)
	assert.True(t, s.in("a "+testKey+" b"))
	assert.True(t, s.inJSON(`{"a":["x",{"b":"\u0073k-test-0123456789abcdef-KEY"}]}`), "another spelling")
	assert.True(t, s.inJSON(`{"\u0073k-test-0123456789abcdef-KEY":1}`))
	assert.False(t, s.inJSON(`{"a":"sk\n"}`))
	assert.Equal(t, "a [key] b", s.scrub("a "+testKey+" b"))
	assert.False(t, keep("EMPTY").in("an EMPTY box"), "a placeholder is not a secret")
	assert.Equal(t, "x", secrets(nil).scrub("x"))
}

func TestFromEnv(t *testing.T) {
	names := []string{"OLLAMA_HOST", "OLLAMA_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL",
		"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL"}
	tests := []struct {
		env  map[string]string
		want []string // "name url model key header"
		err  string
	}{
		{env: nil},
		{env: map[string]string{"OPENAI_MODEL": "x", "OLLAMA_MODEL": "y"}},
		{env: map[string]string{"OPENAI_API_KEY": testKey},
			want: []string{"openai https://api.openai.com/v1/chat/completions gpt-5.4-mini"}},
		{env: map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1", "OPENAI_MODEL": "x"},
			want: []string{"openai http://127.0.0.1:8000/v1/chat/completions x"}},
		{env: map[string]string{"OLLAMA_HOST": "0.0.0.0", "ANTHROPIC_API_KEY": testKey, "OPENAI_API_KEY": testKey},
			want: []string{
				"ollama http://127.0.0.1:11434/v1/chat/completions llama3.2",
				"openai https://api.openai.com/v1/chat/completions gpt-5.4-mini",
				"anthropic https://api.anthropic.com/v1/messages claude-sonnet-5-5"}},
		{env: map[string]string{"OLLAMA_HOST": "https://o.example/ollama", "OLLAMA_MODEL": "q"},
			want: []string{"ollama https://o.example:443/ollama/v1/chat/completions q"}},
		{env: map[string]string{"OLLAMA_HOST": "[::]:99"},
			want: []string{"ollama http://[::1]:99/v1/chat/completions llama3.2"}},
		{env: map[string]string{"ANTHROPIC_API_KEY": testKey, "ANTHROPIC_BASE_URL": "https://p.example/",
			"ANTHROPIC_MODEL": "c"}, want: []string{"anthropic https://p.example/v1/messages c"}},
		{env: map[string]string{"OLLAMA_HOST": "ftp://x"}, err: "OLLAMA_HOST: expected"},
		{env: map[string]string{"OPENAI_API_KEY": testKey, "OPENAI_BASE_URL": "http://far.example/v1"},
			err: "without encryption"},
	}
	for _, test := range tests {
		for _, name := range names {
			t.Setenv(name, test.env[name])
		}
		ps, err := FromEnv()
		if test.err != "" {
			assert.ErrorContains(t, err, test.err)
			assert.NotContains(t, err.Error(), testKey)
			continue
		}
		require.NoError(t, err)
		var got []string
		for _, p := range ps {
			c := p.(*client)
			got = append(got, p.Name()+" "+c.address+" "+c.Config.Model)
		}
		assert.Equal(t, test.want, got)
		assert.NoError(t, CloseAll(ps))
	}
}

func TestNewAll(t *testing.T) {
	one := Config{Name: "a", Kind: Exec, Command: []string{"sh"}}
	ps, err := NewAll([]Config{one, {Name: "b", Kind: Exec, Command: []string{"sh"}}})
	require.NoError(t, err)
	assert.Len(t, ps, 2)
	_, err = NewAll([]Config{one, one, {Name: "c", Kind: "x"}})
	assert.ErrorContains(t, err, `"a": the name is taken`)
	assert.ErrorContains(t, err, `"c": kind`)
}
