// Package columns writes records as a Parquet file, for programs that read columns. It is the
// only importer of parquet-go.
package columns

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Row is one record. Body is what it says as JSON. A body that has no JSON is in Plist, which
// else is "", and null in Body. No column is optional: that reads best everywhere.
type Row struct {
	Seq     uint64 `parquet:"seq,delta"`
	Kind    string `parquet:"kind,dict,snappy"`
	At      int64  `parquet:"at,timestamp(nanosecond:utc)"`
	Session string `parquet:"session,dict,snappy"`
	Prev    string `parquet:"prev,snappy"`
	Hash    string `parquet:"hash,snappy"`
	Body    string `parquet:"body,json,snappy"`
	Plist   string `parquet:"plist,snappy"`
}

// The bounds of a row group, which is in memory until it is written.
const (
	groupRows  = 10_000
	groupBytes = 16 << 20
)

// Writer writes rows in groups. Close completes the file.
type Writer struct {
	to    *parquet.GenericWriter[Row]
	most  int // bytes of a group: groupBytes, or what a test has it be
	rows  int
	bytes int
}

// NewWriter returns a writer of a file that begins where to stands.
func NewWriter(to io.Writer) *Writer {
	return &Writer{to: parquet.NewGenericWriter[Row](to), most: groupBytes}
}

// Add writes a row.
func (w *Writer) Add(r Row) error {
	if _, err := w.to.Write([]Row{r}); err != nil {
		return fmt.Errorf("record %d: %w", r.Seq, err)
	}
	w.rows++
	w.bytes += len(r.Body) + len(r.Plist)
	if w.rows < groupRows && w.bytes < w.most {
		return nil
	}
	w.rows, w.bytes = 0, 0
	return w.to.Flush()
}

// Close writes the last group and the end of the file. Without it the file cannot be read.
func (w *Writer) Close() error { return w.to.Close() }

// Read calls f with each row of a file of size bytes, in order, until f returns an error.
func Read(from io.ReaderAt, size int64, f func(Row) error) (err error) {
	file, err := parquet.OpenFile(from, size)
	if err != nil {
		return err
	}
	r := parquet.NewGenericReader[Row](file)
	defer func() { err = errors.Join(err, r.Close()) }()
	for rows := make([]Row, 64); ; {
		n, err := r.Read(rows)
		for _, row := range rows[:n] {
			if err := f(row); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		clear(rows)
	}
}
