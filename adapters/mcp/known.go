package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/merging"
)

// known are the names of the tools that a client was told of.
type known struct {
	all  []string // of the last list that was read whole; nil before there is one
	some []string // of one that is being read, page by page
}

// know notes the names on a page: the first, or one more, with others to come or not.
func (c *conversation) know(names []string, more, others bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if more {
		names = append(slices.Clip(c.tools.some), names...)
	}
	c.tools.some = names
	if !others {
		c.tools.all = append([]string{}, names...)
	}
}

// forget drops the list: the server has another one.
func (c *conversation) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tools = known{}
}

// lacks says why a call can have no effect, since the server has no such tool; "" if it has, or if that is not
// known. No rule and no person has to be asked about such a call.
func (c *conversation) lacks(tool string) string {
	c.mu.Lock()
	names := c.tools.all
	c.mu.Unlock()
	if behind := c.p.merged.Load(); behind != nil {
		server, _, ok := strings.Cut(tool, merging.Between)
		if !ok || (*behind)[server] == nil {
			return noTool(fmt.Sprintf("no server here has a tool %q", tool), tool, c.near(names))
		}
		if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, server+merging.Between) }) {
			return "" // its part of the list may not be there yet
		}
	}
	if names == nil || slices.Contains(names, tool) {
		return ""
	}
	return noTool(fmt.Sprintf("the server has no tool %q", tool), tool, c.near(names))
}

// near adds the names of capabilities, which a client may have meant.
func (c *conversation) near(names []string) []string {
	names = slices.Clone(names)
	if offered := c.p.offers.names.Load(); offered != nil {
		for name, now := range *offered {
			if now {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names) // which of two equally near ones is named does not change
	return names
}

func noTool(text, tool string, names []string) string {
	text += spell.DidYouMean(tool, names)
	if !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text + " If its tools have changed, list them again."
}
