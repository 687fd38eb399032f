//go:build linux

package wire

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
)

// The user of the plain socket is an approver by name, on other channels. Any
// program of that user speaks on this socket, an agent's too: what is typed here
// is not a person's answer, whether as an event or as a form.
func TestI6_AnswersTypedOnThePlainSocketDoNotCount(t *testing.T) {
	h := open(t, `(:repeat t :reply "(:type :request :payload (:tool \"risky\" :args (:what \"x\")))")`, func(s setup) {
		s.Engine.Approvals.Classes = map[string][]string{"operator": {me(t)}}
	})
	r := h.raw(h.opt.Socket)
	r.ask(`(:id 1 :type :event :payload (:sensor :user-input :text "do it"))`)
	token := r.read().GetText("id")
	for a, err := range h.engine.Pending(t.Context()) {
		require.NoError(t, err)
		token = a.Token
	}
	for _, command := range []string{"/approve " + token, "/deny " + token + " no"} {
		r.ask(fmt.Sprintf(`(:id 2 :type :event :payload (:sensor :user-input :text %q))`, command))
		assert.Contains(t, payload(r.read()).GetText("notice"), "approval socket", command)
		c := h.dial(h.opt.Socket)
		for _, form := range []string{`(say %q)`, `(signal '(:type :event :payload (:sensor :chat-message :text %q)))`} {
			got, err := typed(t, c, fmt.Sprintf(form, command))
			require.NoError(t, err)
			assert.Contains(t, got.Out, "approval socket", command)
		}
	}
	a, err := h.engine.Approvals().Get(t.Context(), token)
	require.NoError(t, err)
	assert.Equal(t, cortex.Pending, a.State)
	assert.Empty(t, h.acts.all())
}
