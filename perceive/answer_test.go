package perceive

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRow088_ApprovalCommandsNeverReachAModel(t *testing.T) {
	cases := map[string]Answer{
		"/approve T1":              {Approve: true, Token: "T1"},
		"/approve":                 {Approve: true},
		"/deny":                    {},
		"/deny T1":                 {Token: "T1"},
		"/deny T1 far too much":    {Token: "T1", Reason: "far too much"},
		"/deny T1\nline\ntwo":      {Token: "T1", Reason: "line\ntwo"},
		"/answer T1 dark blue":     {Answers: true, Token: "T1", Reason: "dark blue"},
		"/answer@our_bot T1 a\nb ": {Answers: true, Token: "T1", Reason: "a\nb"},
		"/ANSWER":                  {Answers: true},
		"  \n/approve\t T1  ":      {Approve: true, Token: "T1"},
		"/Approve T1":              {Approve: true, Token: "T1"},
		"/APPROVE t1":              {Approve: true, Token: "t1"},
		"/approve@our_bot T1":      {Approve: true, Token: "T1"},
		"/deny@our_bot T1 why not": {Token: "T1", Reason: "why not"},
		"\u200b/approve T1":        {Approve: true, Token: "T1"},
		"\ufeff/deny\u00a0T1":      {Token: "T1"},
		"/approve\u200bT1":         {Approve: true, Token: "T1"},
	}
	for text, want := range cases {
		got, ok := ParseAnswer(text)
		assert.True(t, ok, "%q is not seen", text)
		assert.Equal(t, want, got, "%q", text)
	}
	for _, text := range []string{
		"", " ", "hello", "please /approve T1", "/approved T1", "/approver", "/denyT1", "approve T1", "//approve T1", "/help",
		"I /deny it", "/answers T1 x", "/answerT1 x",
	} {
		_, ok := ParseAnswer(text)
		assert.False(t, ok, "%q is taken for a command", text)
	}
}
