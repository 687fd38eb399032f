package provenance

import (
	"github.com/opencortex-go/cortex/skills/provenance/internal/blocks"
	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/runs"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/sightings"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// Limits bound what an Index keeps. A zero limit means its default.
type Limits struct {
	Text    int // bytes of results that are kept in full; 1 MiB
	Results int // the newest results beyond Text whose whole fields are kept; 64
	Digests int // words of zones that are kept of dropped text; 4,096
	Words   int // bytes of the user's words; 256 KiB
	Hits    int // occurrences that one question looks at; 64
}

func (l Limits) orDefaults() Limits {
	set := func(n *int, to int) {
		if *n <= 0 {
			*n = to
		}
	}
	set(&l.Text, 1<<20)
	set(&l.Results, 64)
	set(&l.Digests, 4096)
	set(&l.Words, 256<<10)
	set(&l.Hits, 64)
	return l
}

// Index is what one session has said and read. It is not safe for concurrent use.
type Index struct {
	lex   *Lexicon
	tools map[string]*Tool
	names *zones.Names
	nouns map[string]bool // stems of the nouns of all tools
	lim   Limits

	kindsRead map[string]bool // ... and of those that read

	sources []source
	fields  []field
	keys    *lexicon.Keys   // of fields, by name
	wholes  map[digest]ends // fields by their whole text
	text    [4]layer        // loose words of texts by level: prose, plain, weak, strong
	borders []border        // of the zones of all fields
	dated   int32           // the fields before it have entered the days that they name
	trusted layer           // atoms of trusted fields
	written layer           // loose words of what effects were given; the field is the source
	rules   *runs.Runs      // atoms of what rules set
	orders  orders
	seen    sightings.Sightings
	looked  int32 // the fields before it are in seen

	user     *said.Words // the user's words, all messages
	talk     talk        // what they ask for
	named    bool        // they name a source
	pointers *voice      // who is pointed at by all messages
	hints    *voice      // who is hinted at by all messages
	guess    *voice      // ... where nothing says that they point

	kept    int      // bytes of results kept in full
	late    []*late  // newest results beyond the limit, oldest first
	lost    lost     // what was dropped
	partial bool     // the feeder does not hold every result
	opaque  *source  // the first thing that could not be read
	read    struct { // what was read of untrusted sources
		any, text bool
		worst     Origin
	}
}

// lost is what an index no longer has.
type lost struct {
	any       bool                   // something was dropped or cut
	zoneWords map[string]zones.Level // loose words of dropped zones
	writes    map[string]bool        // loose words of dropped arguments of effects
	writeSeq  int                    // the source that the first of them belongs to
	all       bool                   // more was dropped than can be kept track of
	words     bool                   // words of the user were dropped
}

// New returns the index of an empty session. Tools are those that the session may call.
func New(l *Lexicon, tools []*Tool, lim Limits) *Index {
	x := &Index{lex: l, lim: lim.orDefaults(), tools: map[string]*Tool{}, nouns: map[string]bool{},
		kindsRead: map[string]bool{}, wholes: map[digest]ends{}, keys: lexicon.NewKeys(l.words)}
	d := runs.NewDict()
	lately := &blocks.Lately{}
	for i := range x.text {
		x.text[i].Blocks = blocks.New(words.NextLoose, words.LooseSum, lately)
	}
	x.trusted.Blocks = blocks.New(words.NextAtom, nil, lately)
	x.written.Blocks = blocks.New(words.NextLoose, words.LooseSum, lately)
	x.rules = runs.New(d)
	names := make([]string, 0, len(tools))
	for _, t := range tools {
		x.tools[t.Name] = t
		names = append(names, t.Name)
		for _, n := range t.Nouns {
			x.nouns[l.words.Stem(n)] = true
			if t.Read {
				x.kindsRead[l.words.Stem(n)] = true
			}
		}
	}
	x.names = zones.NewNames(l.words, names)
	x.user = said.NewWords(l.words, d)
	x.pointers = &voice{heard: x.user, seen: map[int32]pointing{}}
	x.hints = &voice{heard: x.user, seen: map[int32]pointing{}, hints: true}
	x.orders.init()
	return x
}

// Partial says that the session does not hold every result that the model saw.
func (x *Index) Partial() { x.partial = true }

// Whole reports whether the session holds every result that the model saw.
func (x *Index) Whole() bool { return !x.partial }
