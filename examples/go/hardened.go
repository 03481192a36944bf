package main

import (
	"context"
	"errors"

	"lakeproof/flow"
)

// The repair: an entry is never deleted, and every change of it replaces exactly the value that was read. A predicate
// that failed may be a lie, so it is always followed by a read.

const (
	initialTimeout = 120_000_000 // microseconds until a claim counts as abandoned
	deleteTries    = 4
)

var hardened = flow.Flows{
	"get_repository":         hardenedGet,
	"create_repository":      hardenedCreate,
	"create_bare_repository": hardenedCreateBare,
	"delete_repository":      hardenedDelete,
}

func hardenedGet(ctx context.Context, env *flow.Env, args flow.Args) (any, error) {
	id := args.Text(0)
	found, _, err := readEntry(ctx, env, id)
	if err != nil {
		return nil, err
	}
	if found == nil || found.state != active {
		return nil, errRepositoryNotFound(id)
	}
	return found.encode(), nil
}

func hardenedCreate(ctx context.Context, env *flow.Env, args flow.Args) (any, error) {
	return create(ctx, env, args.Text(0), false)
}

func hardenedCreateBare(ctx context.Context, env *flow.Env, args flow.Args) (any, error) {
	return create(ctx, env, args.Text(0), true)
}

// create claims the id, notes the instance for the cleaner, writes the entities, and activates the claim.
func create(ctx context.Context, env *flow.Env, id string, bare bool) (any, error) {
	now := env.Now()
	found, predicate, err := readEntry(ctx, env, id)
	if err != nil {
		return nil, err
	}
	if found != nil && !isFree(*found, now) {
		return nil, errNotUnique(id)
	}
	claim := newRepository(env, id, now, initial, bare)
	held, err := replace(ctx, env, claim, predicate)
	switch {
	case err != nil:
		return nil, err
	case held == nil || held.instanceUID != claim.instanceUID:
		return nil, errNotUnique(id)
	case *held != claim:
		return nil, errCreationOutrun(id)
	}
	record := encodeCleanupRecord(id, claim.instanceUID)
	if err := env.Store.Set(ctx, gravelerDeleted, []byte("repo/"+id+"/"+claim.instanceUID), record); err != nil {
		return nil, err
	}
	if !bare {
		if err := writeEntities(ctx, env, claim); err != nil {
			return nil, err
		}
	}
	r := claim
	r.state = active
	held, err = replace(ctx, env, r, flow.PredicateOf(claim.encode()))
	if err != nil {
		return nil, err
	}
	if held == nil || *held != r {
		return nil, errCreationOutrun(id)
	}
	return r.encode(), nil
}

// isFree says whether a create may replace an entry: a tombstone, or a claim that was not confirmed for two minutes.
func isFree(entry repository, now int64) bool {
	abandoned := entry.state == initial && now-entry.creationDate >= initialTimeout
	return entry.state == deleted || abandoned
}

// replace writes an entry if the predicate holds, and returns what is there afterwards.
func replace(ctx context.Context, env *flow.Env, r repository, predicate flow.Predicate) (*repository, error) {
	err := writeEntryIf(ctx, env, r, predicate)
	if errors.Is(err, flow.ErrPredicateFailed) {
		found, _, err := look(ctx, env, r.id, true)
		return found, err
	}
	return &r, err
}

// look is readEntry; inDoubt, whether a write of ours may have taken place, makes its errors indefinite.
func look(ctx context.Context, env *flow.Env, id string, inDoubt bool) (*repository, flow.Predicate, error) {
	found, predicate, err := readEntry(ctx, env, id)
	if err != nil && inDoubt {
		err = flow.ErrUnknown
	}
	return found, predicate, err
}

func hardenedDelete(ctx context.Context, env *flow.Env, args flow.Args) (any, error) {
	id := args.Text(0)
	var target string
	args.Option("instance_uid", &target)
	tried := false
	for range [deleteTries]struct{}{} {
		entry, predicate, err := look(ctx, env, id, tried)
		if err != nil {
			return nil, err
		}
		if entry == nil {
			return nil, errRepositoryNotFound(id)
		}
		if entry.state == deleted || (target != "" && entry.instanceUID != target) {
			if tried {
				return nil, nil // the target is gone; the predicate does not tell by whose work
			}
			return nil, errRepositoryNotFound(id)
		}
		target, tried = entry.instanceUID, true
		entry.state = deleted
		err = writeEntryIf(ctx, env, *entry, predicate)
		if errors.Is(err, flow.ErrPredicateFailed) || errors.Is(err, flow.ErrUnknown) {
			continue
		}
		return nil, err
	}
	return nil, flow.ErrUnknown
}
