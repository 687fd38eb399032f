package shell

import (
	"slices"
	"strings"
)

// xargs replaces or appends what xargs reads from its input, which is feed.
func xargs(in *invocation, opts []option, feed Word) {
	const why = "what xargs reads"
	fed := feed.Known && !slices.ContainsFunc(opts, func(o option) bool { return o.name == "a" || o.name == "arg-file" })
	line, replaced := unknownWord(why, false), false
	if fed {
		line, line.One = feed, true
	} else {
		in.more = why
	}
	for _, o := range opts {
		if o.name != "I" && o.name != "i" && o.name != "replace" {
			continue
		}
		replaced = true
		mark := o.value.Text
		switch {
		case o.name == "I" && !o.value.Known:
			mark = ""
		case mark == "":
			mark = "{}"
		}
		for i, w := range in.words {
			switch {
			case mark != "" && w.Known && !w.Pattern && w.Text == mark:
				in.words[i] = line
			case mark == "" || !w.Known || strings.Contains(w.Text, mark):
				in.words[i] = unknownWord(why, false)
			}
		}
	}
	if len(in.words) == 0 {
		in.words = []Word{Known("echo")}
	}
	if fed && !replaced {
		in.words = append(in.words[:len(in.words):len(in.words)], feed)
	}
}
