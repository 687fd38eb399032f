package facts

import "github.com/opencortex-go/cortex/skills/facts/internal/slotted"

// SlottedLine is a command line with slots, places that take values. It is immutable.
//
// Fill puts in one value for each slot and returns the line; MaxFilled bounds it, in bytes. A slot
// that is a whole word, as Whole tells, takes any text without NUL that does not begin with -, and
// quotes it as it needs. A slot in a longer word takes what [SlotLetters] says. The line has the
// words of the one with the slots, with the values in their places. Else the error is a
// [SlotError].
type SlottedLine = slotted.Line

// LineSlot is a slot: the bytes from Start to End of a line, End not included.
type LineSlot = slotted.Slot

// SlotError says Why a slot cannot stand where it does, or a value in it: "begins with -".
type SlotError = slotted.Error

// MaxFilled bounds a command line with its values, in bytes.
const MaxFilled = slotted.MaxFilled

// ReadSlotted reads a command line with slots, at least five bytes long and in order. Each stands
// outside quotes, expansions and here-documents, and names no command; where one does not, the
// error is a [SlotError]. The line is one that rules can read, and takes no word for a command or
// an expression, as eval and printf %d do.
func ReadSlotted(line string, slots []LineSlot) (*SlottedLine, error) {
	return slotted.Read(line, slots)
}

// SlotLetters reports whether a value may stand in a longer word or text: ASCII letters, digits,
// dots, underscores and dashes, at least one, and no two dots in a row.
func SlotLetters(value string) bool { return slotted.Letters(value) }

// SlotDots reports whether what stands at a place of a text makes two dots in a row with its
// neighbours.
func SlotDots(text string, at LineSlot) bool { return slotted.Dots(text, at) }
