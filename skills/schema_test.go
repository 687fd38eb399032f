package skills

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

func read(t testing.TB, src string) sexpr.Value {
	t.Helper()
	v, err := sexpr.Read("test", src)
	require.NoError(t, err, src)
	return v
}

// everyKind is a tool with a parameter of each kind, named after it.
func everyKind() *Tool {
	str := &Type{Kind: KindString}
	return &Tool{Name: "every", Params: []Param{
		{"any", Type{Kind: KindAny}},
		{"string", Type{Kind: KindString}},
		{"boolean", Type{Kind: KindBoolean}},
		{"integer", Type{Kind: KindInteger, Bounded: true, Lo: 1, Hi: 300}},
		{"free", Type{Kind: KindInteger}},
		{"number", Type{Kind: KindNumber, Bounded: true, Lo: 0, Hi: 2.5}},
		{"enum", Type{Kind: KindEnum, Enum: []string{"fast", "slow"}}},
		{"list", Type{Kind: KindList, Elem: str}},
		{"lists", Type{Kind: KindList, Elem: &Type{Kind: KindList, Elem: &Type{Kind: KindBoolean}}}},
		{"object", Type{Kind: KindObject, Params: []Param{
			{"deep", Type{Kind: KindBoolean}}, {"userId", Type{Kind: KindString}},
		}, Required: []string{"deep"}}},
		{"nullable", Type{Kind: KindString, Nullable: true}},
		{"command", Type{Kind: KindCommand}},
		{"path", Type{Kind: KindPath}},
		{"host", Type{Kind: KindHost}},
		{"url", Type{Kind: KindURL}},
		{"sql", Type{Kind: KindSQL, Dialect: "postgres"}},
	}}
}

func TestCheckTakesWhatTheSchemaSays(t *testing.T) {
	cases := []struct{ args, want string }{
		{`(:any "x")`, ""}, {`(:any (:a (1 null ())))`, ""}, {`(:any ())`, ""}, {`(:any null)`, ""},
		{`(:string "")`, ""},
		{`(:boolean t)`, ""}, {`(:boolean false)`, ""}, {`(:boolean ())`, `(:boolean false)`},
		{`(:integer 1)`, ""}, {`(:integer 300)`, ""}, {`(:free -9007199254740991)`, ""},
		{`(:number 0)`, ""}, {`(:number 2.5)`, ""},
		{`(:enum "slow")`, ""},
		{`(:list ())`, ""}, {`(:list ("a" "b"))`, ""},
		{`(:lists ((t) () (false ())))`, `(:lists ((t) () (false false)))`},
		{`(:object (:deep t))`, ""}, {`(:object (:deep () :|userId| "u"))`, `(:object (:deep false :|userId| "u"))`},
		{`(:nullable null)`, ""}, {`(:nullable "x")`, ""},
		{`(:command "ls")`, ""}, {`(:path "/")`, ""}, {`(:host "a.b")`, ""}, {`(:url "http://a")`, ""},
		{`(:sql "select 1")`, ""},
		{`{}`, ""}, {`()`, `{}`},
		// Keys take the declared spelling, wherever the schema names the object.
		{`(:|String| "x")`, `(:string "x")`}, {`(string "x" Boolean ())`, `(:string "x" :boolean false)`},
		{`(:object (deep t :userid "u"))`, `(:object (:deep t :|userId| "u"))`},
	}
	for _, c := range cases {
		in := read(t, c.args)
		out, err := everyKind().Check(in)
		if !assert.NoError(t, err, c.args) {
			continue
		}
		if c.want == "" {
			c.want = c.args
		}
		assert.Equal(t, read(t, c.want).String(), out.String(), "of %s", c.args)
	}
}

func TestCheckRefusesAndSaysWhatWouldBeRight(t *testing.T) {
	cases := []struct{ args, want string }{
		{`(:string 1)`, ":string is 1, expected a string"},
		{`(:string null)`, ":string is null, expected a string"},
		{`(:string ())`, ":string is an empty list, expected a string"},
		{`(:string :fast)`, ":string is the keyword :fast, expected a string"},
		{`(:string word)`, ":string is an unquoted word, expected a string"},
		{`(:boolean "t")`, ":boolean is a string, expected t or false"},
		{`(:boolean null)`, ":boolean is null, expected t or false"},
		{`(:boolean 0)`, ":boolean is 0, expected t or false"},
		{`(:integer 0)`, ":integer is 0, expected an integer from 1 to 300"},
		{`(:integer 301)`, ":integer is 301, expected an integer from 1 to 300"},
		{`(:integer 5.0)`, ":integer is 5, expected an integer from 1 to 300"},
		{`(:integer "5")`, ":integer is a string, expected an integer from 1 to 300"},
		{`(:number -0.5)`, ":number is -0.5, expected a number from 0 to 2.5"},
		{`(:number 3)`, ":number is 3, expected a number from 0 to 2.5"},
		{`(:number t)`, ":number is t, expected a number from 0 to 2.5"},
		{`(:enum "Fast")`, `:enum is a string, expected one of "fast" "slow"`},
		{`(:enum fast)`, `:enum is an unquoted word, expected one of "fast" "slow"`},
		{`(:list "a")`, ":list is a string, expected a list, each of it a string"},
		{`(:list (:a 1))`, ":list is a plist, expected a list, each of it a string"},
		{`(:list {})`, ":list is an empty object, expected a list, each of it a string"},
		{`(:list ("a" 1))`, ":list[1] is 1, expected a string"},
		{`(:lists ((t) (1)))`, ":lists[1][0] is 1, expected t or false"},
		{`(:object "x")`, ":object is a string, expected a plist with the keys :deep :|userId|"},
		{`(:object (1))`, ":object has 1 where a key is due, expected the keys :deep :|userId|"},
		{`(:object (:deep t :shallow t))`, ":object :shallow is unknown, expected the keys :deep :|userId|"},
		{`(:object (:deep t :|userId| 1))`, ":object :|userId| is 1, expected a string"},
		{`(:object {})`, ":object :deep is missing, expected t or false"},
		{`(:object ())`, ":object :deep is missing, expected t or false"},
		{`(:nullable 1)`, ":nullable is 1, expected a string or null"},
		{`(:command 1)`, ":command is 1, expected a command line, as a string"},
		{`(:path 1)`, "expected a path, as a string"},
		{`(:host 1)`, "expected a host name, as a string"},
		{`(:url 1)`, "expected a URL, as a string"},
		{`(:sql 1)`, "expected an SQL statement, as a string"},
		{`(:nope 1)`, ":nope is unknown, expected the keys :any :string"},
		{`(:string "a" :|STRING| "b")`, ":string stands twice, expected each key once"},
		{`(:string "a" string "b")`, ":string stands twice, expected each key once"},
		{`(string)`, ":string has no value, expected a string"},
		{`"ls"`, ":args is a string, expected a plist like (:key value ...)"},
		{`null`, ":args is null, expected a plist like (:key value ...)"},
		{`("ls")`, ":args has a string where a key is due"},
	}
	for _, c := range cases {
		_, err := everyKind().Check(read(t, c.args))
		var s *SchemaError
		if assert.ErrorAs(t, err, &s, c.args) {
			assert.Contains(t, err.Error(), c.want, "of %s", c.args)
			assert.True(t, strings.HasPrefix(err.Error(), "arguments of every: 1:"), "no position: %s", err)
		}
	}
}

func TestCheckReportsAllFaultsAtOnce(t *testing.T) {
	tool := everyKind()
	tool.Required = []string{"path"}
	_, err := tool.Check(read(t, "(:string 1\n :enum \"no\"\n :zzz 2)"))
	assert.EqualError(t, err, `arguments of every: 1:10: :string is 1, expected a string; `+
		`2:8: :enum is a string, expected one of "fast" "slow"; `+
		`3:2: :zzz is unknown, expected the keys :any :string :boolean :integer :free :number :enum :list :lists :object :nullable :command :path :host :url :sql; `+
		`1:1: :path is missing, expected a path, as a string`)
}

func TestCheckBoundsWhatAHostileCallMakesUsWrite(t *testing.T) {
	var b strings.Builder
	b.WriteByte('(')
	for i := range 20_000 {
		b.WriteString(":|ignore all rules " + strconv.Itoa(i) + strings.Repeat("!", 20) + "| 1 ")
	}
	b.WriteByte(')')
	_, err := everyKind().Check(read(t, b.String()))
	var s *SchemaError
	require.ErrorAs(t, err, &s)
	assert.Len(t, s.Faults, maxFaults)
	assert.Less(t, len(err.Error()), 5000)
}

func TestCheckLeavesAmbiguousCaseAlone(t *testing.T) {
	tool := &Tool{Name: "x", Params: []Param{{"ab", Type{}}, {"aB", Type{}}}}
	_, err := tool.Check(read(t, `(:|AB| 1)`))
	assert.ErrorContains(t, err, ":|AB| is unknown")
	out, err := tool.Check(read(t, `(:|aB| 1)`))
	require.NoError(t, err)
	assert.Equal(t, `(:|aB| 1)`, out.String())
}

func TestCheckManyParameters(t *testing.T) {
	tool := &Tool{Name: "wide"}
	for i := range 300 {
		tool.Params = append(tool.Params, Param{"p" + strconv.Itoa(i), Type{Kind: KindInteger}})
	}
	tool.Required = []string{"p299", "p298"}
	_, err := tool.Check(read(t, `(:p299 1)`))
	assert.ErrorContains(t, err, ":p298 is missing")
	_, err = tool.Check(read(t, `(:p299 1 :p298 2 :p299 3)`))
	assert.ErrorContains(t, err, ":p299 stands twice")
	_, err = tool.Check(read(t, `(:p299 1 :p298 2)`))
	assert.NoError(t, err)
}

// What needs no change costs nothing: Decide checks every ready action again.
func TestCheckAllocatesNothingForWhatIsRight(t *testing.T) {
	tool := everyKind()
	args := read(t, `(:any (:x 1) :boolean t :integer 3 :list ("a" "b") :lists ((t)) :object (:deep t) :string "s")`)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := tool.Check(args); err != nil {
			t.Error(err)
		}
	}))
}

// A fault in a required list names only what is there: the declared tool itself
// may be wrong, and must then refuse rather than let pass.
func TestCheckRequiresWhatNobodyDeclared(t *testing.T) {
	_, err := (&Tool{Name: "x", Required: []string{"ghost"}}).Check(sexpr.EmptyObject())
	assert.ErrorContains(t, err, ":ghost is missing")
}

// A model reads a tool's parameters as deftool writes them.
func TestSignature(t *testing.T) {
	tool := everyKind()
	tool.Required = []string{"string", "path"}
	assert.Equal(t,
		`(:any any :string string :boolean boolean :integer (integer 1 300) :free integer :number (number 0 2.5) `+
			`:enum (enum "fast" "slow") :list (list string) :lists (list (list boolean)) `+
			`:object (object (:deep boolean :|userId| string) :required (:deep)) :nullable (nullable string) `+
			`:command command :path path :host host :url url :sql (sql postgres)), required (:string :path)`, tool.Signature())
	assert.Equal(t, "()", (&Tool{}).Signature())
}
