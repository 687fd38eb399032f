package shelljudge

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	Inside()
	os.Exit(m.Run())
}

func TestSandbox(t *testing.T) {
	k, err := NewKit(t.TempDir(), "testdata/stub.c")
	require.NoError(t, err)
	for _, sh := range Shells {
		s, err := k.Start(sh)
		require.NoError(t, err)
		t.Log(sh.Name, s.usual)
		for _, line := range []string{`ls x; cat a.txt > out; cd sub; echo *`, "cat <<E\nx\nE\n", "(PATH=1; ls; /bin/touch x) | sh -c 'rm x'"} {
			r, err := s.Run(line)
			require.NoError(t, err)
			for _, e := range r.Events {
				t.Log(sh.Name, e)
			}
		}
		require.NoError(t, s.Close())
	}
}

func TestCorpus(t *testing.T) {
	k, err := NewKit(t.TempDir(), "testdata/stub.c")
	require.NoError(t, err)
	b, err := k.NewBench()
	require.NoError(t, err)
	defer b.Close()
	seeds, err := Corpus()
	require.NoError(t, err)
	for _, s := range seeds {
		r, err := b.Reader.Read(s.Line)
		if err != nil {
			continue
		}
		fs, err := b.Try(r)
		require.NoError(t, err)
		for _, f := range fs {
			t.Logf("%s %s", s.Family, f)
		}
	}
	t.Log(b.Runs, b.Cut)
}
