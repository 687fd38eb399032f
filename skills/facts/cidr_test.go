package facts

import (
	"fmt"
	"math/big"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/sexpr"
)

// slowIn is a slow reference: it writes addresses as numbers of 128 bits, an IPv4
// address as the IPv6 address that stands for it, and compares what is left of both
// when their ends are cut off.
func slowIn(ip net.IP, start net.IP, bits int) bool {
	if start.To4() != nil {
		bits += 96
	}
	number := func(ip net.IP) *big.Int {
		n := new(big.Int).SetBytes(ip.To16())
		return n.Rsh(n, uint(128-bits))
	}
	return number(ip).Cmp(number(start)) == 0 && (ip.To4() != nil) == (start.To4() != nil)
}

func TestCIDRAgainstReference(t *testing.T) {
	c := caseOf(t, sexpr.Plist())
	few := rapid.SampledFrom([]byte{0, 1, 10, 127, 128, 192, 254, 255})
	rapid.Check(t, func(rt *rapid.T) {
		address := func(name string) net.IP {
			n := rapid.SampledFrom([]int{4, 16}).Draw(rt, name+" size")
			return net.IP(rapid.SliceOfN(few, n, n).Draw(rt, name))
		}
		ip, start := address("ip"), address("start")
		if rapid.Bool().Draw(rt, "near") {
			start = append(net.IP{}, ip...)
			start[len(start)-1] ^= rapid.Byte().Draw(rt, "change")
		}
		if len(start) == 16 && start.To4() != nil || len(ip) == 16 && ip.To4() != nil {
			rt.Skip("an IPv4 address in the clothes of IPv6, of which the table has its own")
		}
		bits := rapid.IntRange(0, 8*len(start)).Draw(rt, "bits")
		got, err := call(t, c, "cidr-in?", ip.String(), list(fmt.Sprintf("%s/%d", start, bits)))
		require.NoError(rt, err)
		require.Equal(rt, slowIn(ip, start, bits), got, "%s in %s/%d", ip, start, bits)
	})
}

func BenchmarkCIDR(b *testing.B) {
	c := caseOf(b, sexpr.Plist())
	ranges := []any{list("10.0.0.0/8", "192.168.0.0/16")}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = callCIDRIn(c, []any{"192.168.1.7", ranges[0]})
	}
}
