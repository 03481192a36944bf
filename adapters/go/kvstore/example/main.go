// Program example is a store in memory, tested by lakeproof: `lakeproof conform exec:./example`. With the argument
// get-then-set its conditional writes look first, and write then, as those of a store without conditions do.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sort"
	"sync"
	"time"

	"lakeproof/kvstore"
)

var (
	errNotFound        = errors.New("not found")
	errPredicateFailed = errors.New("predicate failed")
	errNoPartition     = errors.New("missing partition key")
	errNoKey           = errors.New("missing key")
	errNoValue         = errors.New("missing value")
)

// roundTrip is how long a store without conditions takes between the look and the write.
const roundTrip = 20 * time.Millisecond

type at struct{ partition, key string }

type row struct {
	value   []byte
	version int64
}

type memory struct {
	lock     sync.Mutex
	rows     map[at]row
	versions int64
	races    bool
}

func check(partition, key []byte) error {
	if len(partition) == 0 {
		return errNoPartition
	}
	if len(key) == 0 {
		return errNoKey
	}
	return nil
}

func (m *memory) Get(_ context.Context, partition, key []byte) ([]byte, any, error) {
	if err := check(partition, key); err != nil {
		return nil, nil, err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	found, ok := m.rows[at{string(partition), string(key)}]
	if !ok {
		return nil, nil, errNotFound
	}
	return found.value, found.version, nil
}

func (m *memory) Set(ctx context.Context, partition, key, value []byte) error {
	return m.write(partition, key, value, func(row, bool) bool { return true })
}

func (m *memory) SetIf(ctx context.Context, partition, key, value []byte, predicate any) error {
	return m.write(partition, key, value, func(found row, ok bool) bool {
		switch predicate {
		case nil:
			return !ok
		case kvstore.Exists:
			return ok
		}
		return ok && found.version == predicate
	})
}

func (m *memory) write(partition, key, value []byte, holds func(row, bool) bool) error {
	if err := check(partition, key); err != nil {
		return err
	}
	if value == nil {
		return errNoValue
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	where := at{string(partition), string(key)}
	found, ok := m.rows[where]
	if m.races {
		m.lock.Unlock()
		time.Sleep(roundTrip)
		m.lock.Lock()
	}
	if !holds(found, ok) {
		return errPredicateFailed
	}
	m.versions++
	m.rows[where] = row{value, m.versions}
	return nil
}

func (m *memory) Delete(_ context.Context, partition, key []byte) error {
	if err := check(partition, key); err != nil {
		return err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	delete(m.rows, at{string(partition), string(key)})
	return nil
}

func (m *memory) Scan(_ context.Context, partition, start []byte, limit int) ([]kvstore.Entry, error) {
	if len(partition) == 0 {
		return nil, errNoPartition
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	var found []kvstore.Entry
	for where, row := range m.rows {
		if where.partition == string(partition) && bytes.Compare([]byte(where.key), start) >= 0 {
			found = append(found, kvstore.Entry{Key: []byte(where.key), Value: row.value})
		}
	}
	sort.Slice(found, func(i, j int) bool { return bytes.Compare(found[i].Key, found[j].Key) < 0 })
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	return found, nil
}

func main() {
	store := &memory{rows: map[at]row{}, races: len(os.Args) > 1 && os.Args[1] == "get-then-set"}
	err := kvstore.Serve(store, kvstore.Errors{
		NotFound:            errNotFound,
		PredicateFailed:     errPredicateFailed,
		MissingPartitionKey: errNoPartition,
		MissingKey:          errNoKey,
		MissingValue:        errNoValue,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
