package flow

import (
	"context"
	"encoding/base64"
)

// Store is the key-value store, in the shape of lakeFS' kv.Store. Each call is one effect, each batch of a scan another.
type Store interface {
	// Get returns a value, and the predicate that SetIf takes to replace just this value. ErrNotFound if there is none.
	Get(ctx context.Context, partitionKey, key []byte) (*ValueWithPredicate, error)
	// Set writes, whatever was there.
	Set(ctx context.Context, partitionKey, key, value []byte) error
	// SetIf writes if the predicate holds: one that Get returned, nil (the key is absent), or PrecondExists.
	// ErrPredicateFailed if it does not.
	SetIf(ctx context.Context, partitionKey, key, value []byte, valuePredicate Predicate) error
	// Delete removes a key; an absent one is no error.
	Delete(ctx context.Context, partitionKey, key []byte) error
	// Scan iterates over the entries from a key on, in ascending byte order. Not a snapshot: writes may fall between two
	// batches.
	Scan(ctx context.Context, partitionKey []byte, options ScanOptions) (EntriesIterator, error)
	// Close does nothing: the store is lakeproof's.
	Close()
}

// Predicate is what Get returned; a flow hands it back as it is.
type Predicate any

type exists struct{}

// PrecondExists holds where the key is present, whatever its value.
var PrecondExists Predicate = exists{}

// ValueWithPredicate is what Get returns.
type ValueWithPredicate struct {
	Value     []byte
	Predicate Predicate
}

// Entry is one row of a scan.
type Entry struct {
	PartitionKey []byte
	Key          []byte
	Value        []byte
}

// ScanOptions say where a scan begins, and how many entries a batch has; 0: all.
type ScanOptions struct {
	KeyStart  []byte
	BatchSize int
}

// EntriesIterator goes through the entries of a scan.
type EntriesIterator interface {
	// Next moves to the next entry, and says whether there is one.
	Next() bool
	// SeekGE moves to the entries from a key on; Next must be called before Entry.
	SeekGE(key []byte)
	// Entry is the current entry, nil before the first and after the last one.
	Entry() *Entry
	// Err is what ended the iteration, if not its end.
	Err() error
	// Close ends the iteration.
	Close()
}

type token string // Base64, as lakeproof gave it

type store struct{ env *Env }

func (s *store) Get(_ context.Context, partitionKey, key []byte) (*ValueWithPredicate, error) {
	var reply struct {
		Value     []byte `json:"value"`
		Predicate token  `json:"predicate"`
	}
	err := s.env.ask(map[string]any{"op": "get", "partition": filled(partitionKey), "key": filled(key)}, &reply)
	if err != nil {
		return nil, err
	}
	return &ValueWithPredicate{Value: filled(reply.Value), Predicate: reply.Predicate}, nil
}

func (s *store) Set(_ context.Context, partitionKey, key, value []byte) error {
	return s.env.ask(
		map[string]any{"op": "set", "partition": filled(partitionKey), "key": filled(key), "value": value}, nil)
}

func (s *store) SetIf(_ context.Context, partitionKey, key, value []byte, valuePredicate Predicate) error {
	var predicate any
	switch given := valuePredicate.(type) {
	case nil:
	case exists:
		predicate = map[string]any{"exists": true}
	case token:
		predicate = map[string]any{"value": given}
	default:
		panic("a predicate that Get did not return")
	}
	return s.env.ask(map[string]any{
		"op": "set_if", "partition": filled(partitionKey), "key": filled(key), "value": value, "predicate": predicate,
	}, nil)
}

func (s *store) Delete(_ context.Context, partitionKey, key []byte) error {
	return s.env.ask(map[string]any{"op": "delete", "partition": filled(partitionKey), "key": filled(key)}, nil)
}

func (s *store) Scan(_ context.Context, partitionKey []byte, options ScanOptions) (EntriesIterator, error) {
	found := &iterator{store: s, partitionKey: partitionKey, start: options.KeyStart, size: options.BatchSize, more: true}
	if !found.fetch() {
		return nil, found.err
	}
	return found, nil
}

func (s *store) Close() {}

// filled is the value as JSON's Base64; a nil slice would be null.
func filled(value []byte) []byte {
	if value == nil {
		return []byte{}
	}
	return value
}

type iterator struct {
	store        *store
	partitionKey []byte
	start        []byte
	size         int
	batch        []Entry
	entry        *Entry
	more         bool
	err          error
}

func (i *iterator) fetch() bool {
	var reply struct {
		Entries []struct {
			Key   []byte `json:"key"`
			Value []byte `json:"value"`
		} `json:"entries"`
		More bool `json:"more"`
	}
	i.err = i.store.env.ask(map[string]any{
		"op": "scan", "partition": filled(i.partitionKey), "start": filled(i.start), "limit": i.size,
	}, &reply)
	if i.err != nil {
		return false
	}
	i.batch, i.more = nil, reply.More
	for _, each := range reply.Entries {
		i.batch = append(i.batch, Entry{i.partitionKey, each.Key, filled(each.Value)})
		i.start = append(append([]byte(nil), each.Key...), 0)
	}
	return true
}

func (i *iterator) Next() bool {
	i.entry = nil
	if i.err != nil {
		return false
	}
	for len(i.batch) == 0 {
		if !i.more || !i.fetch() {
			return false
		}
	}
	i.entry, i.batch = &i.batch[0], i.batch[1:]
	return true
}

func (i *iterator) SeekGE(key []byte) {
	i.batch, i.entry, i.start, i.more = nil, nil, key, true
}

func (i *iterator) Entry() *Entry { return i.entry }
func (i *iterator) Err() error    { return i.err }
func (i *iterator) Close()        { i.batch, i.more = nil, false }

// PredicateOf is the predicate of a value that the flow itself has written: lakeproof's store compares values.
func PredicateOf(value []byte) Predicate { return token(base64.StdEncoding.EncodeToString(value)) }
