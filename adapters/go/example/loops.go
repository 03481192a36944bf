package main

import (
	"context"
	"errors"

	"lakeproof/flow"
)

var locks, name = []byte("locks"), []byte("lock")

// lock spins for a lock, and releases it.
func lock(ctx context.Context, env *flow.Env, _ flow.Args) (any, error) {
	for {
		env.State("spins")
		err := env.Store.SetIf(ctx, locks, name, []byte("1"), nil)
		if err == nil {
			break
		}
		if !errors.Is(err, flow.ErrPredicateFailed) {
			return nil, err
		}
	}
	env.State("holds")
	return nil, env.Store.Delete(ctx, locks, name)
}

// poll sleeps between its tries.
func poll(ctx context.Context, env *flow.Env, _ flow.Args) (any, error) {
	for {
		env.State("tries")
		err := env.Store.SetIf(ctx, locks, name, []byte("1"), nil)
		if err == nil {
			break
		}
		if !errors.Is(err, flow.ErrPredicateFailed) {
			return nil, err
		}
		env.State("sleeps")
		env.Sleep(1_000_000)
	}
	env.State("holds")
	return nil, env.Store.Delete(ctx, locks, name)
}
