package main

import (
	"context"
	"errors"

	"lakeproof/flow"
)

// Repositories by state and unique identifier: the flows marked "Step 1" in lakeFS' design
// "Repository operations: error handling". The comments are its sentences.

var step1 = flow.Flows{
	"get_repository":         step1Get,
	"create_repository":      step1Create,
	"create_bare_repository": step1CreateBare,
	"delete_repository":      step1Delete,
}

func step1Get(ctx context.Context, env *flow.Env, args flow.Args) (any, error) {
	id := args.Text(0)
	// Get the Repository with the given RepositoryID from the common graveler partition.
	found, _, err := readEntry(ctx, env, id)
	switch {
	case err != nil:
		return nil, err
	case found == nil: // If not found return ErrRepositoryNotFound.
		return nil, errRepositoryNotFound(id)
	case found.state == active: // If found and status equals active, return the Repository entity.
		return found.encode(), nil
	}
	return nil, errRepositoryDeleting(id)
}

func step1Create(ctx context.Context, env *flow.Env, args flow.Args) (any, error) {
	id := args.Text(0)
	// Try to get the Repository. If exist return ErrNotUnique.
	found, _, err := readEntry(ctx, env, id)
	if err != nil {
		return nil, err
	}
	if found != nil {
		return nil, errNotUnique(id)
	}
	// Create the unique_identifier for this repository (variable, not KV entity).
	r := newRepository(env, id, env.Now(), active, false)
	// Create the initial-Commit and the default-Branch, under the Repository partition. If failed return the error.
	if err := writeEntities(ctx, env, r); err != nil {
		return nil, err
	}
	// Create the repository with state active (SetIf with nil predicate) and return the result.
	return step1Claim(ctx, env, r)
}

func step1CreateBare(ctx context.Context, env *flow.Env, args flow.Args) (any, error) {
	return step1Claim(ctx, env, newRepository(env, args.Text(0), env.Now(), active, true))
}

func step1Claim(ctx context.Context, env *flow.Env, r repository) (any, error) {
	err := writeEntryIf(ctx, env, r, nil)
	if errors.Is(err, flow.ErrPredicateFailed) {
		return nil, errNotUnique(r.id)
	}
	return r.encode(), err
}

func step1Delete(ctx context.Context, env *flow.Env, args flow.Args) (any, error) {
	id := args.Text(0)
	var batchSize int
	args.Option("batch_size", &batchSize)
	var stateBySetIf bool
	args.Option("state_by_set_if", &stateBySetIf)
	// Get the Repository, if does not exist, return ErrNotFound.
	found, predicate, err := readEntry(ctx, env, id)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, errRepositoryNotFound(id)
	}
	// Set the repository state to deleting. If failed return the KV error.
	found.state = deleting
	if stateBySetIf {
		err = writeEntryIf(ctx, env, *found, predicate)
		if errors.Is(err, flow.ErrPredicateFailed) {
			err = errConflict(id)
		}
	} else {
		err = writeEntry(ctx, env, *found)
	}
	if err != nil {
		return nil, err
	}
	// Scan the partition, identified by the unique_identifier, and delete all entities.
	if err := deleteAll(ctx, env, found.partition(), batchSize); err != nil {
		return nil, err
	}
	// Delete the repository entry and return the result.
	return nil, env.Store.Delete(ctx, graveler, repositoryKey(id))
}
