package main

import (
	"context"

	"lakeproof/flow"
)

// together marks three keys at once, two of them in a group of a goroutine, and reads what is there meanwhile.
func together(ctx context.Context, env *flow.Env, _ flow.Args) (any, error) {
	var order []string
	mark := func(name string) func(env *flow.Env) error {
		return func(env *flow.Env) error {
			if err := env.Store.SetIf(ctx, marks, []byte(name), []byte(env.Unique("mark")), nil); err != nil {
				return err
			}
			order = append(order, name)
			return nil
		}
	}
	group := env.Group()
	group.Go(mark("a"))
	group.Go(func(env *flow.Env) error {
		inner := env.Group()
		inner.Go(mark("b"))
		inner.Go(mark("c"))
		return inner.Wait()
	})
	_, _, err := read(ctx, env)
	if failed := group.Wait(); failed != nil {
		return nil, failed
	}
	return order, err
}
