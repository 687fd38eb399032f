package plugins

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// bare is a plain gRPC server on a Unix socket: what the protocol costs without any of ours.
func bare(b *testing.B) skillpb.SkillClient {
	b.Helper()
	path := filepath.Join(shortDir(b), "s")
	cmd := exec.Command(exe(b))
	cmd.Env = []string{"BARE=" + path, "GOMAXPROCS=1"}
	cmd.Stderr = os.Stderr
	require.NoError(b, cmd.Start())
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for {
		if _, err := os.Stat(path); err == nil {
			break
		}
	}
	conn, err := grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(b, err)
	b.Cleanup(func() { _ = conn.Close() })
	return skillpb.NewSkillClient(conn)
}

// One call through a policy against one call of bare gRPC, and five neighbours
// against one.
func BenchmarkPlugin(b *testing.B) {
	a := shell(b, "ls -l /tmp/somewhere/else")
	b.Run("bare gRPC", func(b *testing.B) {
		c := bare(b)
		q := &skillpb.JudgeRequest{Id: "1", Action: a.Canonical(), Digest: a.Digest().String(), Facts: "{}"}
		for b.Loop() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_, err := c.Judge(ctx, q)
			cancel()
			require.NoError(b, err)
		}
	})
	b.Run("bare gRPC, five at once", func(b *testing.B) {
		var cs []skillpb.SkillClient
		for range 5 {
			cs = append(cs, bare(b))
		}
		q := &skillpb.JudgeRequest{Id: "1", Action: a.Canonical(), Digest: a.Digest().String(), Facts: "{}"}
		for b.Loop() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			var wg sync.WaitGroup
			for _, c := range cs {
				wg.Go(func() { _, _ = c.Judge(ctx, q) })
			}
			wg.Wait()
			cancel()
		}
	})
	for _, transport := range []string{TransportMTLS, TransportPeer} {
		for _, n := range []int{1, 5} {
			b.Run(fmt.Sprintf("%s %d", transport, n), func(b *testing.B) {
				var all []Entry
				for i := range n {
					all = append(all, self(b, fmt.Sprintf("p-%d", i), "pass", func(e *Entry) { e.Transport = transport }))
				}
				w := newWorld(b, shellRules, all...)
				p := w.start()
				for b.Loop() {
					d := reason.Decide(context.Background(), reason.Request{Policy: p, Action: a, Facts: &skills.Facts{Now: 1}})
					require.Equal(b, reason.Allow, d.Kind, "%+v", d.Reasons)
				}
			})
		}
	}
}
