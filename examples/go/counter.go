package main

import (
	"context"
	"errors"
	"strconv"

	"lakeproof/flow"
)

// A counter that loses updates, and one that does not: examples/counter.py in Go.

var (
	counters = []byte("counters")
	visits   = []byte("visits")
)

var counter = flow.Flows{"increment": increment, "increment_if": incrementIf}

func read(ctx context.Context, env *flow.Env) (int, flow.Predicate, error) {
	found, err := env.Store.Get(ctx, counters, visits)
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
	return value + 1, env.Store.Set(ctx, counters, visits, []byte(strconv.Itoa(value+1)))
}

// incrementIf writes only if the value is still the one that it has read, and tries three times.
func incrementIf(ctx context.Context, env *flow.Env, _ flow.Args) (any, error) {
	for range [3]struct{}{} {
		value, predicate, err := read(ctx, env)
		if err != nil {
			return nil, err
		}
		err = env.Store.SetIf(ctx, counters, visits, []byte(strconv.Itoa(value+1)), predicate)
		if errors.Is(err, flow.ErrPredicateFailed) {
			continue
		}
		return value + 1, err
	}
	return nil, &flow.Failure{Kind: "refused", Definite: true}
}
