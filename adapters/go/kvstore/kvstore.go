// Package kvstore connects a key-value store in Go to lakeproof: it speaks the protocol exec: (docs/targets.md), so
// that `lakeproof conform exec:PROGRAM` and `lakeproof stress exec:PROGRAM` test the store.
package kvstore

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Store has the five methods of lakeFS' kv.Store, with results that no package needs to share. All are called from many
// goroutines at once. An empty partition or key, and a nil value, are errors of the caller: return yours, see Errors.
type Store interface {
	// Get returns a value, and a predicate that holds as long as this value is there.
	Get(ctx context.Context, partitionKey, key []byte) (value []byte, predicate any, err error)
	// Set writes, whatever was there.
	Set(ctx context.Context, partitionKey, key, value []byte) error
	// SetIf writes if the predicate holds, atomically: one that Get returned, nil (the key is absent), or Exists.
	SetIf(ctx context.Context, partitionKey, key, value []byte, predicate any) error
	// Delete removes a key; an absent one is no error.
	Delete(ctx context.Context, partitionKey, key []byte) error
	// Scan returns the entries from a key on, in ascending byte order, at most limit of them; 0: all.
	Scan(ctx context.Context, partitionKey, start []byte, limit int) ([]Entry, error)
}

type exists struct{}

// Exists is the predicate that holds where the key is present, whatever its value.
var Exists any = exists{}

// Entry is one row of a scan.
type Entry struct {
	Key   []byte `json:"key"`
	Value []byte `json:"value"`
}

// Errors are those of a store, by meaning; compared by errors.Is. Any other error means that nobody knows whether the
// operation has happened, which makes the test less strict. Refused are those after which it has not, and never will.
type Errors struct {
	NotFound, PredicateFailed, MissingPartitionKey, MissingKey, MissingValue error
	Refused                                                                  []error
}

// ErrForgotten is answered to a predicate of another process, or one of too many: nothing was written.
var ErrForgotten = errors.New("the predicate is not known any more")

func (e Errors) kind(err error) string {
	named := []struct {
		is   error
		kind string
	}{
		{e.NotFound, "not_found"},
		{e.PredicateFailed, "predicate_failed"},
		{e.MissingPartitionKey, "missing_partition_key"},
		{e.MissingKey, "missing_key"},
		{e.MissingValue, "missing_value"},
		{ErrForgotten, "refused"},
	}
	for _, each := range named {
		if each.is != nil && errors.Is(err, each.is) {
			return each.kind
		}
	}
	for _, each := range e.Refused {
		if errors.Is(err, each) {
			return "refused"
		}
	}
	return "unknown"
}

type request struct {
	ID        int64           `json:"id"`
	Op        string          `json:"op"`
	Partition []byte          `json:"partition"`
	Key       []byte          `json:"key"`
	Value     []byte          `json:"value"`
	Predicate json.RawMessage `json:"predicate"`
	Start     []byte          `json:"start"`
	Limit     int             `json:"limit"`
}

type failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

type answer struct {
	ID    int64    `json:"id"`
	OK    any      `json:"ok,omitempty"`
	Error *failure `json:"error,omitempty"`
}

// Serve answers on stdout what is asked on stdin, each request in a goroutine of its own, until stdin ends.
func Serve(store Store, errs Errors) error {
	return serve(os.Stdin, os.Stdout, store, errs)
}

func serve(in io.Reader, out io.Writer, store Store, errs Errors) error {
	lines, encoder := bufio.NewReaderSize(in, 1<<16), json.NewEncoder(out)
	known := newTokens()
	var lock sync.Mutex
	var underWay sync.WaitGroup
	defer underWay.Wait()
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			return fmt.Errorf("not a request of the protocol exec: %w", err)
		}
		underWay.Add(1)
		go func() {
			defer underWay.Done()
			made := answered(store, errs, known, asked)
			lock.Lock()
			defer lock.Unlock()
			_ = encoder.Encode(made) // who does not read will not ask again
		}()
	}
}

func answered(store Store, errs Errors, known *tokens, asked request) (made answer) {
	made.ID = asked.ID
	defer func() {
		if cause := recover(); cause != nil {
			made.OK, made.Error = nil, &failure{"unknown", brief(fmt.Sprint("panic: ", cause))}
		}
	}()
	found, err := perform(store, known, asked)
	if err != nil {
		made.Error = &failure{errs.kind(err), brief(err.Error())}
	} else {
		made.OK = found
	}
	return made
}

func perform(store Store, known *tokens, asked request) (any, error) {
	ctx, done := context.Background(), struct{}{}
	switch asked.Op {
	case "get":
		value, predicate, err := store.Get(ctx, asked.Partition, asked.Key)
		if err != nil {
			return nil, err
		}
		return map[string]any{"value": present(value), "predicate": known.token(predicate)}, nil
	case "set":
		return done, store.Set(ctx, asked.Partition, asked.Key, asked.Value)
	case "set_if":
		predicate, err := known.predicate(asked.Predicate)
		if err != nil {
			return nil, err
		}
		return done, store.SetIf(ctx, asked.Partition, asked.Key, asked.Value, predicate)
	case "delete":
		return done, store.Delete(ctx, asked.Partition, asked.Key)
	case "scan":
		entries, err := store.Scan(ctx, asked.Partition, asked.Start, asked.Limit)
		for i := range entries {
			entries[i].Value = present(entries[i].Value)
		}
		return map[string]any{"entries": append([]Entry{}, entries...)}, err
	}
	return nil, fmt.Errorf("%q is no operation of the protocol exec", asked.Op)
}

// present is a value that is not nil: in JSON an empty one is "", and nil is null, which means that there is none.
func present(value []byte) []byte {
	if value == nil {
		return []byte{}
	}
	return value
}

func brief(words string) string {
	line := []rune(words)
	for i, each := range line {
		if each == '\n' || each == '\r' {
			line[i] = ' '
		}
	}
	if len(line) > 300 {
		line = line[:300]
	}
	return string(line)
}
