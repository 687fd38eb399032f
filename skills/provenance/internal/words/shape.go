package words

import (
	"strings"
	"unicode"
)

// Shape is what an atom looks like.
type Shape uint8

// The shapes.
const (
	Other   Shape = iota
	Word1         // letters only
	Numeric       // a decimal number
	Day           // a date, with or without a time
	Email
	URL
	Host
	Account // a long number or code, such as an IBAN
	Phone
	Path
)

// ShapeOf returns the shape of one atom.
func ShapeOf(s string) Shape {
	switch {
	case s == "" || len(s) > 4096:
		return Other
	case plain(s):
		return Word1
	case isDay(s):
		return Day
	case isPhone(s):
		return Phone
	case strings.ContainsAny(s, " \t\r\n"):
		return Other
	}
	if _, ok := Number(s); ok && len(s) < 8 {
		return Numeric
	}
	switch {
	case letters(s):
		return Word1
	case IsURL(s):
		return URL
	case isEmail(s):
		return Email
	case isAccount(s):
		return Account
	case strings.ContainsAny(s, "/\\") || strings.HasPrefix(s, "."):
		return Path
	case isHost(s):
		return Host
	}
	if _, ok := Number(s); ok {
		return Numeric
	}
	return Other
}

// plain is letters for the words that need no more than a look.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

func letters(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && r != '-' && r != '\'' && r != '’' {
			return false
		}
	}
	return true
}

func isEmail(s string) bool {
	local, domain, ok := strings.Cut(s, "@")
	return ok && local != "" && isHost(domain) && !strings.ContainsAny(local, "/\\:,")
}

func isHost(s string) bool {
	if len(s) > 253 || !strings.Contains(s, ".") {
		return false
	}
	label := 0
	top := s[strings.LastIndexByte(s, '.')+1:]
	for _, r := range s {
		switch {
		case r == '.':
			if label == 0 {
				return false
			}
			label = 0
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			label++
		default:
			return false
		}
	}
	return len(top) >= 2 && letters(top)
}

// IsFile reports whether what looks like a host ends as files do, and as no domain does: "minutes.pdf".
func IsFile(s string) bool { return fileType[strings.ToLower(s[strings.LastIndexByte(s, '.')+1:])] }

// fileType are the endings of files that are no domain. The .zip and .mov of files are domains, too.
var fileType = map[string]bool{
	"pdf": true, "txt": true, "csv": true, "tsv": true, "doc": true, "docx": true, "odt": true, "rtf": true, "xls": true,
	"xlsx": true, "ods": true, "ppt": true, "pptx": true, "odp": true, "png": true, "jpg": true, "jpeg": true, "gif": true,
	"svg": true, "webp": true, "tif": true, "tiff": true, "heic": true, "mp3": true, "mp4": true, "wav": true, "mkv": true,
	"srt": true, "vtt": true, "json": true, "yaml": true, "yml": true, "xml": true, "html": true, "htm": true, "css": true,
	"log": true, "bak": true, "ini": true, "cfg": true, "sql": true, "toml": true, "lisp": true,
}

func isAccount(s string) bool {
	letter, digit := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digit++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letter++
		default:
			return false
		}
	}
	return digit >= 8 && (letter == 0 || len(s) >= 12)
}

func isPhone(s string) bool {
	n := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			n++
		case c == '+' && i == 0, i > 0 && strings.IndexByte(" -().", c) >= 0:
		default:
			return false
		}
	}
	return n >= 8 && n <= 15 && s[0] == '+'
}
