package shelljudge

import (
	"regexp"
	"strings"
)

// tokens are what a line is made smaller by.
var tokens = regexp.MustCompile(`(?s)[A-Za-z0-9_./]+|\s+|&&|\|\||>>|<<|\$\(|\$\{|.`)

// Minimise drops tokens from a failing line while it still fails in the same shell
// by the same oracle.
func (b *Bench) Minimise(f Failure) (Failure, error) {
	var box *Sandbox
	for _, s := range b.boxes {
		if s.shell.Name == f.Shell {
			box = s
		}
	}
	fails := func(line string) (Failure, bool, error) {
		r, err := b.Reader.Read(line)
		if err != nil {
			return Failure{}, false, nil
		}
		run, err := box.Run(line)
		if err != nil {
			return Failure{}, false, err
		}
		got, wrong := Judge(r, run)
		return got, wrong && got.Oracle == f.Oracle, nil
	}
	tries := 0
	for again := true; again && tries < 400; {
		again = false
		parts := tokens.FindAllString(f.Line, -1)
		for size := max(1, len(parts)/2); size > 0 && tries < 400; size /= 2 {
			for at := 0; at+size <= len(parts); {
				line := strings.Join(parts[:at], "") + strings.Join(parts[at+size:], "")
				tries++
				got, wrong, err := fails(line)
				if err != nil {
					return f, err
				}
				if !wrong {
					at++
					continue
				}
				f, again = got, true
				parts = append(parts[:at:at], parts[at+size:]...)
			}
		}
	}
	return f, nil
}
