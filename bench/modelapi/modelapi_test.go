package modelapi

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/opencortex-go/cortex/adapters/llm"
	"github.com/opencortex-go/cortex/adapters/llm/llmtest"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// answers are what the server is to say.
var answers = []llmtest.Answer{
	{Text: "Well: 日本 😀."},
	{Text: "I look.", Calls: []llmtest.Call{{ID: "a", Name: "shell", Arguments: `{"cmd":"echo \"hi\" 😀","n":3}`},
		{ID: "b", Name: "shell", Arguments: `{}`}}},
	{Calls: []llmtest.Call{{ID: "a", Name: "shell", Arguments: `{"cmd":"ls"}`}}, Cut: true},
}

// heard is an answer as a vendor's client understands it.
type heard struct {
	Text    string
	Calls   []llmtest.Call
	Cut     bool
	In, Out int64
}

// vendors ask with a vendor's own client, whole or streamed.
var vendors = map[llmtest.API]func(ctx context.Context, url string, stream bool) (heard, error){
	llmtest.Chat: chat, llmtest.Responses: respond, llmtest.Messages: message,
}

func chat(ctx context.Context, url string, stream bool) (out heard, err error) {
	client := openai.NewClient(option.WithBaseURL(url), option.WithAPIKey("none"), option.WithMaxRetries(0))
	ask := openai.ChatCompletionNewParams{Model: "m",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")}}
	got := &openai.ChatCompletion{}
	if stream {
		events, all := client.Chat.Completions.NewStreaming(ctx, ask), openai.ChatCompletionAccumulator{}
		for events.Next() {
			all.AddChunk(events.Current())
		}
		got, err = &all.ChatCompletion, events.Err()
	} else {
		got, err = client.Chat.Completions.New(ctx, ask)
	}
	if err != nil {
		return out, err
	}
	c := got.Choices[0]
	out = heard{Text: c.Message.Content, Cut: c.FinishReason == "length",
		In: got.Usage.PromptTokens, Out: got.Usage.CompletionTokens}
	for _, x := range c.Message.ToolCalls {
		out.Calls = append(out.Calls, llmtest.Call{ID: x.ID, Name: x.Function.Name, Arguments: x.Function.Arguments})
	}
	return out, nil
}

func respond(ctx context.Context, url string, stream bool) (out heard, err error) {
	client := openai.NewClient(option.WithBaseURL(url), option.WithAPIKey("none"), option.WithMaxRetries(0))
	ask := responses.ResponseNewParams{Model: "m",
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("hi")}}
	got := &responses.Response{}
	if stream {
		events := client.Responses.NewStreaming(ctx, ask)
		pieces := map[int64]string{}
		for events.Next() {
			switch e := events.Current().AsAny().(type) {
			case responses.ResponseFunctionCallArgumentsDeltaEvent:
				pieces[e.OutputIndex] += e.Delta
			case responses.ResponseFunctionCallArgumentsDoneEvent:
				if pieces[e.OutputIndex] != e.Arguments {
					return out, errPieces
				}
			case responses.ResponseCompletedEvent:
				got = &e.Response
			case responses.ResponseIncompleteEvent:
				got = &e.Response
			}
		}
		err = events.Err()
	} else {
		got, err = client.Responses.New(ctx, ask)
	}
	if err != nil {
		return out, err
	}
	out = heard{Text: got.OutputText(), Cut: got.Status == "incomplete",
		In: got.Usage.InputTokens, Out: got.Usage.OutputTokens}
	for _, item := range got.Output {
		if x, ok := item.AsAny().(responses.ResponseFunctionToolCall); ok {
			out.Calls = append(out.Calls, llmtest.Call{ID: x.CallID, Name: x.Name, Arguments: x.Arguments})
		}
	}
	return out, nil
}

type errText string

func (e errText) Error() string { return string(e) }

const errPieces = errText("the pieces of arguments are not the whole")

func message(ctx context.Context, url string, stream bool) (out heard, err error) {
	client := anthropic.NewClient(anthropicoption.WithBaseURL(strings.TrimSuffix(url, "/v1")),
		anthropicoption.WithAPIKey("none"),
		anthropicoption.WithMaxRetries(0))
	ask := anthropic.MessageNewParams{Model: "m", MaxTokens: 100,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))}}
	got := &anthropic.Message{}
	if stream {
		events := client.Messages.NewStreaming(ctx, ask)
		for events.Next() {
			if err := got.Accumulate(events.Current()); err != nil {
				return out, err
			}
		}
		err = events.Err()
	} else {
		got, err = client.Messages.New(ctx, ask)
	}
	if err != nil {
		return out, err
	}
	out = heard{Cut: got.StopReason == anthropic.StopReasonMaxTokens,
		In: got.Usage.InputTokens, Out: got.Usage.OutputTokens}
	for _, b := range got.Content {
		switch b := b.AsAny().(type) {
		case anthropic.TextBlock:
			out.Text += b.Text
		case anthropic.ToolUseBlock:
			out.Calls = append(out.Calls, llmtest.Call{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
		}
	}
	return out, nil
}

// ours is what adapters/llm understands.
func ours(ctx context.Context, api llmtest.API, url string, stream bool, p model.Prompt) (out heard, err error) {
	client, err := llm.New(llm.Config{Name: "m", Kind: string(api), URL: url, Model: "m", Stream: stream, Retries: -1})
	if err != nil {
		return out, err
	}
	got, err := client.Complete(ctx, p)
	out = heard{Text: got.Text, In: got.Usage.TokensIn, Out: got.Usage.TokensOut}
	for _, c := range got.Calls {
		out.Calls = append(out.Calls, llmtest.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		out.Cut = c.Cut
	}
	return out, err
}

// The vendors' clients understand the scripted server as adapters/llm does.
func TestVendorsUnderstandTheServer(t *testing.T) {
	for _, api := range llmtest.APIs() {
		for _, stream := range []bool{false, true} {
			for _, a := range answers {
				s := llmtest.Serve(api, a)
				theirs, err := vendors[api](t.Context(), s.URL, stream)
				if err != nil {
					t.Fatalf("%s, stream %v: %v", api, stream, err)
				}
				our, err := ours(t.Context(), api, s.URL, stream, prompt())
				if err != nil {
					t.Fatalf("%s, stream %v: %v", api, stream, err)
				}
				for _, x := range []heard{theirs, our} {
					if text(t, x) != text(t, heard{a.Text, a.Calls, a.Cut, 10, 5}) {
						t.Errorf("%s, stream %v: %s, expected %s", api, stream, text(t, x), text(t, a))
					}
				}
				s.Close()
			}
		}
	}
}

func prompt() model.Prompt {
	return model.Prompt{System: "S", NativeSystem: "S", Tools: []*skills.Tool{{Name: "shell", Doc: "Run.",
		Params: []skills.Param{{Name: "cmd", Type: skills.Type{Kind: skills.KindString}}}}},
		Messages: []model.Message{{Role: model.RoleUser, Text: "hi"},
			{Role: model.RoleAssistant, Text: "I look", Calls: []model.NativeCall{{ID: "a", Name: "shell", Arguments: `{"cmd":"ls"}`},
				{ID: "b", Name: "shell", Arguments: `{"cmd":"pwd"}`}}},
			{Role: model.RoleTool, CallID: "a", Text: "x"}, {Role: model.RoleTool, CallID: "b", Text: "y"},
			{Role: model.RoleUser, Text: "and?"}}}
}

// The vendors' types hold all of a request: what they read and write again is the same.
func TestVendorsUnderstandTheRequests(t *testing.T) {
	types := map[llmtest.API]func() any{
		llmtest.Chat:      func() any { return &openai.ChatCompletionNewParams{} },
		llmtest.Responses: func() any { return &responses.ResponseNewParams{} },
		llmtest.Messages:  func() any { return &anthropic.MessageNewParams{} },
	}
	for _, api := range llmtest.APIs() {
		s := llmtest.Serve(api, llmtest.Answer{Text: "ok"})
		if _, err := ours(t.Context(), api, s.URL, false, prompt()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		want := text(t, s.Asked()[0])
		into := types[api]()
		if err := json.Unmarshal([]byte(want), into); err != nil {
			t.Fatalf("%s: %v in %s", api, err, want)
		}
		var again any
		if err := json.Unmarshal([]byte(text(t, into)), &again); err != nil {
			t.Fatal(err)
		}
		if api == llmtest.Messages { // its client writes a text as a list of one block
			want = regexp.MustCompile(`"(system|content)":"(\w+)"`).ReplaceAllString(want, `"$1":[{"text":"$2","type":"text"}]`)
		}
		if got := text(t, again); got != want {
			t.Errorf("%s: read and written again:\n%s\nas sent:\n%s", api, got, want)
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
