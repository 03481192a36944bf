// Command example is a counter that loses updates, one that does not, and one flow for each other effect.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"strconv"

	"lakeproof/flow"
)

var (
	partition = []byte("counters")
	key       = []byte("visits")
	marks     = []byte("marks")
)

func main() {
	flow.Serve(flow.Flows{
		"increment":    increment,
		"increment_if": incrementIf,
		"mark":         mark,
		"sweep":        sweep,
		"upload":       upload,
		"fail":         fail,
		"locked":       locked,
		"lock":         lock,
		"poll":         poll,
		"unordered":    unordered,
		"together":     together,
	})
}

func read(ctx context.Context, env *flow.Env) (int, flow.Predicate, error) {
	found, err := env.Store.Get(ctx, partition, key)
	if errors.Is(err, flow.ErrNotFound) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	value, err := strconv.Atoi(string(found.Value))
	return value, found.Predicate, err
}

// increment reads, adds one, and writes.
func increment(ctx context.Context, env *flow.Env, _ flow.Args) (any, error) {
	value, _, err := read(ctx, env)
	if err != nil {
		return nil, err
	}
	return value + 1, env.Store.Set(ctx, partition, key, []byte(strconv.Itoa(value+1)))
}

// incrementIf writes only if the value is still the one that it has read, and tries three times.
func incrementIf(ctx context.Context, env *flow.Env, _ flow.Args) (any, error) {
	for tries := 0; tries < 3; tries++ {
		value, predicate, err := read(ctx, env)
		if err != nil {
			return nil, err
		}
		err = env.Store.SetIf(ctx, partition, key, []byte(strconv.Itoa(value+1)), predicate)
		if errors.Is(err, flow.ErrPredicateFailed) {
			continue
		}
		return value + 1, err
	}
	return nil, flow.ErrRefused
}

// mark writes a fresh identifier and the time, and lists what is there.
func mark(ctx context.Context, env *flow.Env, args flow.Args) (any, error) {
	id := env.Unique(args.Text(0))
	if err := env.Store.Set(ctx, marks, []byte(id), []byte(strconv.FormatInt(env.Now(), 10))); err != nil {
		return nil, err
	}
	var limit int
	args.Option("limit", &limit)
	names := []string{}
	entries, err := env.Store.Scan(ctx, marks, flow.ScanOptions{BatchSize: limit})
	if err != nil {
		return nil, err
	}
	defer entries.Close()
	for entries.Next() {
		names = append(names, string(entries.Entry().Key))
	}
	return []any{id, names}, entries.Err()
}

func sweep(ctx context.Context, env *flow.Env, _ flow.Args) (any, error) {
	entries, err := env.Store.Scan(ctx, marks, flow.ScanOptions{})
	if err != nil {
		return nil, err
	}
	defer entries.Close()
	for entries.Next() {
		if err := env.Store.Delete(ctx, marks, entries.Entry().Key); err != nil {
			return nil, err
		}
	}
	return nil, entries.Err()
}

// upload performs every effect on objects.
func upload(ctx context.Context, env *flow.Env, args flow.Args) (any, error) {
	address := args.Text(0)
	copied := address + ".copy"
	err := env.Objects.Put(ctx, address, []byte("hello"), flow.Metadata{"b": "2", "a": "1"}, flow.PutOptions{IfAbsent: true})
	if err != nil {
		return nil, err
	}
	head, err := env.Objects.Head(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := env.Objects.Copy(ctx, address, copied, flow.CopyOptions{IfMatch: &head.ETag}); err != nil {
		return nil, err
	}
	first := int64(1)
	options := flow.SetMetadataOptions{IfMetageneration: &first}
	if err := env.Objects.SetMetadata(ctx, copied, flow.Metadata{"c": "3"}, options); err != nil {
		return nil, err
	}
	heads, _, err := env.Objects.Page(ctx, address, "", 0)
	if err != nil {
		return nil, err
	}
	found := []string{}
	for _, each := range heads {
		found = append(found, each.Address)
	}
	if err := env.Objects.Delete(ctx, address); err != nil {
		return nil, err
	}
	content, err := env.Objects.Get(ctx, copied)
	made := map[string]any{"content": base64.StdEncoding.EncodeToString(content), "etag": head.ETag, "found": found}
	return made, err
}

// fail writes, and fails with an error of this kind; without one, by a panic.
func fail(ctx context.Context, env *flow.Env, args flow.Args) (any, error) {
	if err := env.Store.Set(ctx, []byte("p"), []byte("k"), []byte("v")); err != nil {
		return nil, err
	}
	if args.Len() > 1 {
		return nil, &flow.Failure{Kind: args.Text(0), Definite: args.Bool(1), Message: "its message"}
	}
	panic("its message")
}

// locked deletes its lock in any case; where it is dropped, that never takes place.
func locked(ctx context.Context, env *flow.Env, _ flow.Args) (any, error) {
	lock := []byte("lock")
	locks := []byte("locks")
	if err := env.Store.SetIf(ctx, locks, lock, []byte("held"), nil); err != nil {
		return nil, err
	}
	defer func() { _ = env.Store.Delete(ctx, locks, lock) }()
	return nil, env.Store.Set(ctx, partition, key, []byte("1"))
}

// unordered is no flow for a search: it writes in the order of a map, which differs from run to run.
func unordered(ctx context.Context, env *flow.Env, _ flow.Args) (any, error) {
	for name := range map[string]bool{"a": true, "b": true, "c": true, "d": true, "e": true} {
		if err := env.Store.Set(ctx, partition, []byte(name), []byte("v")); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
