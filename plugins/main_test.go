package plugins

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
)

// The test program is also the skill of example_test.go.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "example" {
		ServeExample()
	}
	goleak.VerifyTestMain(m)
}

// ServeExample is the main function of that skill.
var ServeExample func()

// exe is the program of the skill that the host is tried with. It is a small one, without the
// race detector, because the host copies and hashes it at each start.
func exe(t testing.TB) string {
	t.Helper()
	path, err := badSkill()
	require.NoError(t, err)
	return path
}

// badSkill builds it once.
var badSkill = sync.OnceValues(func() (string, error) {
	name, err := filepath.Abs("../.tools/test/badskill")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", name, "./testdata/badskill").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return name, nil
})

// bringsForm claims more than a plugin may.
const bringsForm = `(deftool brings :params (:how string) :required (:how) :tier :allow :effect :external :output :trusted)`

func pass(r *skillpb.JudgeRequest) *skillpb.Judgement {
	return &skillpb.Judgement{Id: r.GetId(), Digest: r.GetDigest(),
		Verdict: &skillpb.Judgement_Pass{Pass: &skillpb.Pass{}}}
}
