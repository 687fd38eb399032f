package columns

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRowsComeBack(t *testing.T) {
	var want []Row
	for i := range uint64(300) {
		body := fmt.Sprintf(`{"n":%d,"text":%q}`, i, strings.Repeat("\u00e9", int(i)))
		r := Row{Seq: i + 1, Kind: "signal", At: 1795262400_000000001 + int64(i), Session: "s", Hash: "sha256:1", Body: body}
		if i%7 == 0 {
			r.Body, r.Plist = "null", "(:bare symbol)"
		}
		want = append(want, r)
	}
	const most = 1 << 20
	big := `"` + strings.Repeat("x", most) + `"` // ends its group
	want[150].Body = big
	var file bytes.Buffer
	w := NewWriter(&file)
	w.most = most
	for _, r := range want {
		require.NoError(t, w.Add(r))
	}
	require.NoError(t, w.Close())

	var got []Row
	read := bytes.NewReader(file.Bytes())
	require.NoError(t, Read(read, read.Size(), func(r Row) error { got = append(got, r); return nil }))
	require.Len(t, got, len(want))
	for i := range want {
		if i == 150 {
			require.Equal(t, len(want[i].Body), len(got[i].Body))
			continue
		}
		require.Equal(t, want[i], got[i], i)
	}

	// The format's own frame: magic at both ends, and the length of the footer before the last.
	raw := file.Bytes()
	assert.Equal(t, "PAR1", string(raw[:4]))
	assert.Equal(t, "PAR1", string(raw[len(raw)-4:]))
	assert.Less(t, int(binary.LittleEndian.Uint32(raw[len(raw)-8:])), len(raw))
	f, err := parquet.OpenFile(read, read.Size())
	require.NoError(t, err)
	assert.Len(t, f.RowGroups(), 2)
	assert.Equal(t, `message Row {
	required int64 seq (INT(64,false));
	required binary kind (STRING);
	required int64 at (TIMESTAMP(isAdjustedToUTC=true,unit=NANOS));
	required binary session (STRING);
	required binary prev (STRING);
	required binary hash (STRING);
	required binary body (JSON);
	required binary plist (STRING);
}`, f.Schema().String())
	require.Error(t, Read(read, read.Size()-1, nil), "a file that was cut")
}
