package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/sexpr"
)

// lives is how many daemons work on one record before another is begun.
const lives = 20

// moments are when a tortured daemon is killed by name, as its clients see it.
var moments = []string{"ready", "accepted", "effect", "answered", "card", "approving", "approved"}

// tortured is one record, the daemons that work on it and die, and what their
// clients were told.
type tortured struct {
	t     *testing.T
	pl    place
	rng   *rand.Rand
	twice bool // a negative control: the tool does everything twice

	mu       sync.Mutex
	life     int
	jobs     []string          // words of all jobs so far, each once in the world at most
	signals  map[string]uint64 // by key: the record that was acknowledged
	approved map[string]bool   // tokens whose approval was acknowledged
	moment   string            // when to kill, "" at any time
	daemon   *exec.Cmd
	kills    map[string]int
	effects  int
	wrong    []string
}

func newTortured(t *testing.T, seed uint64) *tortured {
	w := &tortured{t: t, pl: newPlace(t), rng: rand.New(rand.NewPCG(seed, 5)), signals: map[string]uint64{},
		approved: map[string]bool{}, kills: map[string]int{}}
	makeFifo(t, w.pl.path("work/gate"))
	out, err := command(w.pl, "approvals", "pair", "--dir", "state", "--secret", "secret").CombinedOutput()
	require.NoError(t, err, string(out))
	return w
}

func (w *tortured) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong = append(w.wrong, fmt.Sprintf("life %d: ", w.life)+fmt.Sprintf(format, args...))
}

// script lets the model propose one command for each job, no matter who asks it and
// however often.
func (w *tortured) script() {
	var b strings.Builder
	for _, job := range w.jobs {
		cmd := "echo " + job + " >> effects; echo " + job + " > gate"
		if w.twice {
			cmd = "echo " + job + " >> effects; " + cmd
		}
		fmt.Fprintf(&b, "(:form (:type :request :target :tool :payload (:tool \"shell\" :args (:cmd %q))) :when (%q) "+
			":repeat t)\n", cmd, "do "+job+".")
	}
	b.WriteString("(:reply \"done\" :repeat t)\n")
	w.pl.write("script.lisp", b.String())
}

// reached kills the daemon if this is the moment.
func (w *tortured) reached(moment string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.moment == moment && w.daemon != nil {
		w.kill(moment)
	}
}

// kill ends the daemon. The caller holds mu.
func (w *tortured) kill(why string) {
	if w.daemon != nil {
		_ = w.daemon.Process.Kill() // it may have died
		w.daemon = nil
		w.kills[why]++
	}
}

// begin begins a life, and chooses the moment of its end; "" is any.
func (w *tortured) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.life++
	w.moment = ""
	if w.rng.IntN(2) == 0 {
		w.moment = moments[w.rng.IntN(len(moments))]
	}
}

// live starts a daemon, lets clients work with it, and kills it.
func (w *tortured) live() {
	w.begin()
	fresh := []string{}
	for i := range 4 {
		kind := []string{"near", "far"}[w.rng.IntN(2)]
		fresh = append(fresh, fmt.Sprintf("%s-%d-%d", kind, w.life, i))
	}
	w.jobs = append(w.jobs, fresh...)
	w.script()
	if w.moment == "" && w.rng.IntN(4) == 0 {
		w.killStarting()
		return
	}
	d := w.pl.start()
	w.mu.Lock()
	w.daemon = d.cmd
	w.mu.Unlock()
	w.reached("ready")
	after := time.Duration(w.rng.IntN(60_000)) * time.Microsecond
	if w.moment != "" {
		after = 2 * time.Second // that moment does not come in every life
	}
	timer := time.AfterFunc(after, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.kill("any")
	})
	defer timer.Stop()
	var clients sync.WaitGroup
	for _, job := range fresh {
		clients.Go(func() { w.client(d, job) })
	}
	if n := len(w.jobs); n > 8 { // one of an earlier life asks again for its answer
		old := w.jobs[w.rng.IntN(n-4)]
		clients.Go(func() { w.client(d, old) })
	}
	clients.Wait()
	w.mu.Lock()
	w.kill("idle")
	w.mu.Unlock()
	<-d.done
}

// killStarting kills a daemon that has not said that it is ready.
func (w *tortured) killStarting() {
	cmd := command(w.pl, "serve", "--config", "c.toml", "--json")
	require.NoError(w.t, cmd.Start())
	dead := time.AfterFunc(time.Duration(w.rng.IntN(80_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
	defer dead.Stop()
	require.Error(w.t, cmd.Wait())
	w.kills["starting"]++
}

// client says one job, with its key, and answers the card if there is one. Every
// error may be the daemon's death.
func (w *tortured) client(d *running, job string) {
	c, err := client.Dial(w.t.Context(), d.ready.Socket)
	if err != nil {
		return
	}
	defer c.Close()
	out, err := c.Signal(w.t.Context(),
		client.Message{Text: "do " + job + ".", Session: job, Key: job, Accepted: func(n uint64) {
			w.mu.Lock()
			was, ok := w.signals[job]
			w.signals[job] = n
			w.mu.Unlock()
			if ok && was != n {
				w.fault("%s was signal %d and is %d", job, was, n)
			}
			w.reached("accepted")
		}})
	if err != nil {
		return
	}
	w.reached("answered")
	if out.Approval != "" {
		w.reached("card")
		w.approve(d, out.Approval)
	}
}

func (w *tortured) approve(d *running, token string) {
	secret, err := os.ReadFile(w.pl.path("secret"))
	require.NoError(w.t, err)
	c, err := client.Dial(w.t.Context(), d.ready.Approvals)
	if err != nil {
		return
	}
	defer c.Close()
	if err := c.Auth(w.t.Context(), strings.TrimSpace(string(secret))); err != nil {
		return
	}
	w.reached("approving")
	if _, err := c.Eval(w.t.Context(), sexpr.ListOf(sexpr.Sym("approve"), sexpr.Str(token))); err != nil {
		return
	}
	w.mu.Lock()
	w.approved[token] = true
	w.mu.Unlock()
	w.reached("approved")
}

// effectsSeen tells the harness of each effect, through a pipe that is always
// open: another process than the daemon's wrote it.
func (w *tortured) effectsSeen() (stop func()) {
	gate, err := os.OpenFile(w.pl.path("work/gate"), os.O_RDWR, 0)
	require.NoError(w.t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(gate); lines.Scan(); {
			w.reached("effect")
		}
	}()
	return func() {
		assert.NoError(w.t, gate.Close())
		<-ended
	}
}

// check compares the record, which no process holds now, with what clients were told
// and with what has been done to the world.
func (w *tortured) check() {
	st, err := store.Open(w.pl.path("state"), store.Options{})
	require.NoError(w.t, err)
	j, err := journal.Open(st, journal.Options{})
	require.NoError(w.t, err)
	defer func() { assert.NoError(w.t, j.Close()) }()
	if err := j.Verify(w.t.Context()); err != nil {
		w.fault("%v", err)
	}
	recs, states, intents := map[uint64]journal.Record{}, map[string]string{}, map[string]int{}
	require.NoError(w.t, j.Records(1, func(r journal.Record) error {
		recs[r.Seq] = r
		switch r.Kind {
		case "approval":
			states[r.Body.GetText("token")] += r.Body.GetText("state") + " "
		case "intent":
			w.intent(r, recs, intents)
		}
		return nil
	}))
	for job, n := range w.signals {
		if recs[n].Kind != "signal" {
			w.fault("acknowledged and lost: signal %d of %s", n, job)
		}
	}
	for token := range w.approved {
		if !strings.Contains(states[token], "approved") {
			w.fault("an acknowledged approval is lost: %s", token)
		}
	}
	for token, all := range states {
		if n := strings.Count(all, "consumed"); n > 1 {
			w.fault("approval %s was consumed %d times", token, n)
		}
	}
	w.world(intents)
}

// intent notes for which job an intent stands, if a recorded allow is over its
// bytes.
func (w *tortured) intent(r journal.Record, recs map[uint64]journal.Record, intents map[string]int) {
	args, _ := r.Body.Get("args")
	decision := recs[uint64(r.Body.GetInt("decision"))]
	d, _ := decision.Body.Get("decision")
	kind, _ := d.Get("kind")
	if decision.Kind != "decision" || kind.Text() != "allow" {
		w.fault("intent %d rests on no allow: %s", r.Seq, d)
		return
	}
	if r.Body.GetText("tool") == "shell" {
		if f := strings.Fields(args.GetText("cmd")); len(f) > 1 && strings.Contains(d.String(), args.GetText("cmd")) {
			intents[f[1]]++
		}
	}
}

func (w *tortured) world(intents map[string]int) {
	raw, err := os.ReadFile(w.pl.path("work/effects"))
	if !os.IsNotExist(err) {
		require.NoError(w.t, err)
	}
	seen := map[string]int{}
	for _, job := range strings.Fields(string(raw)) {
		if seen[job]++; seen[job] > 1 {
			w.fault("done twice: %s", job)
		}
		if intents[job] == 0 {
			w.fault("done without a recorded allow: %s", job)
		}
	}
	w.effects = len(seen)
}

// run goes through some lives of daemons on one record.
func (w *tortured) run(n int) {
	stop := w.effectsSeen()
	defer stop()
	for i := range n {
		w.live()
		if i%4 == 3 || i == n-1 {
			w.check()
		}
		if len(w.wrong) > 0 {
			return
		}
	}
}

// The real daemon, killed at any instant while clients talk to it, approve and
// ask again: nothing acknowledged is lost, nothing is done twice, and nothing is
// done without a recorded allow over its bytes.
func TestTortureDaemon(t *testing.T) {
	crashtest.Long(t)
	kills, seed := crashtest.Size(40)
	var mu sync.Mutex
	failures, acked, effects, at, begun := 0, 0, 0, map[string]int{}, time.Now()
	t.Run("worlds", func(t *testing.T) {
		for i := range uint64((kills + lives - 1) / lives) {
			t.Run(fmt.Sprint(seed+i), func(t *testing.T) {
				t.Parallel()
				w := newTortured(t, seed+i)
				defer func() { // a world that broke off counts
					if t.Failed() && len(w.wrong) == 0 {
						mu.Lock()
						failures++
						mu.Unlock()
					}
				}()
				w.run(lives)
				assert.Empty(t, w.wrong)
				mu.Lock()
				defer mu.Unlock()
				failures, acked, effects = failures+len(w.wrong), acked+len(w.signals)+len(w.approved), effects+w.effects
				for m, n := range w.kills {
					at[m] += n
				}
			})
		}
	})
	assert.Positive(t, effects)
	crashtest.Result{Harness: "torture-daemon", Trials: kills, Seed: seed, Failures: failures, Acknowledged: acked,
		Effects: effects,
		More:    fmt.Sprintf("took=%s at=%v", time.Since(begun).Round(time.Second), at)}.Report(t)
}

// The checks find what they look for: a tool that does things twice, a record
// that went back, and an effect that no daemon knows of.
func TestTortureDaemon_NegativeControls(t *testing.T) {
	crashtest.Long(t)
	for fault, seed := range map[string]func(*tortured){
		"done twice":                    func(w *tortured) { w.twice = true },
		"acknowledged and lost":         func(w *tortured) { w.signals["lost"] = 1 << 40 },
		"done without a recorded allow": func(w *tortured) { w.pl.write("work/effects", "rogue\n") },
	} {
		t.Run(fault, func(t *testing.T) {
			w := newTortured(t, 1)
			seed(w)
			w.run(lives)
			require.NotEmpty(t, w.wrong)
			crashtest.Control{Harness: "torture-daemon", Fault: fault, Seed: 1, Symptom: fault}.Found(t, w.wrong)
		})
	}
}
