package record

import "github.com/opencortex-go/cortex/sexpr"

// The engine's indexes over the journal. The type of a table says what its keys are made
// of. All of them can be rebuilt from the records; the journal's own letter is 'e'.
const (
	// TableApproval has an approval by its token, as it stands now (plist).
	TableApproval Table1[string] = 'a'
	// TableBudget has by root signal what it has used of its budget (plist).
	TableBudget Table1[uint64] = 'b'
	// TableCards counts the cards that an action had in a row, by session, requester and
	// action.
	TableCards Table3[string, string, sexpr.Digest] = 'c'
	// TableDedupe has the signal that a dedupe key stands for, by source, principal and key.
	TableDedupe Table3[string, string, string] = 'd'
	// TableFailed has, by its own intent, a compensation that failed and that no person has
	// settled: the intent that it was for.
	TableFailed Table1[uint64] = 'f'
	// TableGrant has the token of the open approval, by session, requester and action.
	TableGrant Table3[string, string, sexpr.Digest] = 'g'
	// TableSession has what happened in a session, by record: one letter and a number.
	TableSession Series = 'h'
	// TableIntent has the intents without a receipt: the decision that each rests on.
	TableIntent Table1[uint64] = 'i'
	// TableCompensation has by intent the intent that compensates it, or is to.
	TableCompensation Table1[uint64] = 'm'
	// TableGiven has by its token and ask key the decision that a yes to a step of a plan was used for.
	TableGiven Table2[string, sexpr.Digest] = 'G'
	// TableOpen counts open approvals: [OpenInSession] and [OpenOfRequester] by name, and
	// [OpenInAll] without one.
	TableOpen Table2[OpenCount, string] = 'n'
	// TableUsed has the intent that a decision was used for.
	TableUsed Table1[uint64] = 'o'
	// TablePrincipal has what a principal spent, by record: intents, and receipts of nothing.
	TablePrincipal Series = 'p'
	// TableDoing has the open intents by session, action and intent.
	TableDoing Table3[string, sexpr.Digest, uint64] = 'q'
	// TableSpent has what was spent in a session, by record, as TablePrincipal does.
	TableSpent Series = 's'
	// TableTry has by root signal, step and try how a try at a step of a run stands (plist).
	TableTry Table3[uint64, string, string] = 't'
	// TableUnanswered has the accepted signals without an answer, and the roots of the runs
	// that are not at rest: see [Due].
	TableUnanswered Table1[uint64] = 'u'
	// TableVersion has the version of "session/ID" or "principal/NAME": a sequence number,
	// and of a session how many bytes its history takes in memory.
	TableVersion Table1[string] = 'v'
	// TableAnswer has the answer to a root signal (plist).
	TableAnswer Table1[uint64] = 'w'
	// TableSetting has what there is once in a record.
	TableSetting Table1[Setting] = 'x'
	// TablePolicy has by its hash the record that keeps a rulebook or the protected places.
	TablePolicy Table1[sexpr.Digest] = 'y'
	// TableCursor has how far a source has been read.
	TableCursor Table1[string] = 'C'
	// TableJump has by record how far the wall clock was moved, in nanoseconds.
	TableJump Table1[uint64] = 'J'
	// TablePosting has by its nonce a card as it was shown (plist).
	TablePosting Table1[string] = 'K'
	// TableMessage has the nonce of a card by gateway, chat and message.
	TableMessage Table3[string, string, string] = 'M'
	// TablePosted has where an approval's card was shown: its token, and a nonce.
	TablePosted Table2[string, string] = 'P'
	// TableKey has, by record, the key of what is hidden in it, itself encrypted. It is the
	// only table that cannot be rebuilt: without its entry what is hidden cannot be read.
	TableKey Keyring = 'S'
	// TableEnded has the sessions that were ended: up to which record, and when.
	TableEnded Table1[string] = 'R'
	// TableLog has by its name how a log stands now (plist).
	TableLog Table1[string] = 'L'
	// TableEvents has by log and first event the record that holds the events.
	TableEvents Series = 'l'
	// TableEventKey has by log and dedupe key the record that holds the event, and its index.
	TableEventKey Table2[string, string] = 'D'
	// TableKept has by its digest the record that keeps some content.
	TableKept Table1[sexpr.Digest] = 'k'
	// TablePin has by content and log that the log pins the content.
	TablePin Table2[sexpr.Digest, string] = 'z'
	// TableCeased has the policies out of force: the last record that may rest on each.
	TableCeased Table1[sexpr.Digest] = 'Y'
)

// Keyring is a table by record, to be read in parts.
type Keyring byte

// Key returns the key of a record's entry.
func (t Keyring) Key(seq uint64) []byte { return Table1[uint64](t).Key(seq) }

// After calls f with each entry of a record behind seq, in order, until f returns an error.
func (t Keyring) After(r Reader, seq uint64, f func(seq uint64, value []byte) error) error {
	return scanRange(r, t.Key(seq+1), After([]byte{byte(t)}), func(k, v []byte) error {
		return f(AsNumber(k[1:]), v)
	})
}

// Series is a table of what happened under a name, by record.
type Series = Table2[string, uint64]

// Setting names what there is once in a record.
type Setting string

// The settings.
const (
	SettingBoard     Setting = "board"     // the record of the last change of facts.ctx
	SettingCard      Setting = "card"      // the key that the digits of cards are made with
	SettingClock     Setting = "clock"     // how the clocks stood (plist)
	SettingCompared  Setting = "compared"  // when log and tables were last compared, in seconds
	SettingDestroyed Setting = "destroyed" // there while a destroyed key may be left in the store's files
	SettingEpoch     Setting = "epoch"     // how often an engine was opened
	SettingFacts     Setting = "facts"     // facts.ctx (plist)
	SettingKill      Setting = "kill"      // there while the kill switch is on
	SettingMandatory Setting = "mandatory" // the skills that were marked as mandatory (plist)
	SettingMended    Setting = "mended"    // the record of the last repair that was dealt with
	SettingOperator  Setting = "operator"  // the hash of the pairing secret
	SettingRenewed   Setting = "renewed"   // when the file of keys was renewed, in seconds
	SettingSeeded    Setting = "seeded"    // which facts of facts.ctx a seed set (plist)
	SettingPolicy    Setting = "policy"    // the hashes of the rulebook and the places in force
	SettingMasks     Setting = "masks"     // the key of the hashes for masked fields, sealed where there are keys
	SettingTickets   Setting = "tickets"   // the keys that tickets are signed with: the current one, then the previous
)

// OpenCount names a count of open approvals.
type OpenCount string

// The counts of open approvals.
const (
	OpenInAll       OpenCount = "all"
	OpenInSession   OpenCount = "session"
	OpenOfRequester OpenCount = "requester"
)
