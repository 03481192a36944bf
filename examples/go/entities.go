package main

import (
	"context"
	"errors"

	"lakeproof/flow"
)

const defaultBranch = "main"

var (
	graveler        = []byte("graveler")
	gravelerDeleted = []byte("graveler_deleted")
)

// What the operations answer instead of a result. The message is the repository's id.
func failure(kind, id string) error { return &flow.Failure{Kind: kind, Definite: true, Message: id} }

func errNotUnique(id string) error          { return failure("not_unique", id) }
func errRepositoryNotFound(id string) error { return failure("repository_not_found", id) }
func errRepositoryDeleting(id string) error { return failure("repository_deleting", id) }
func errConflict(id string) error           { return failure("conflict", id) }

// errCreationOutrun is indefinite: the repository may have been active.
func errCreationOutrun(id string) error {
	return &flow.Failure{Kind: "creation_outrun", Definite: false, Message: id}
}

func repositoryKey(id string) []byte { return []byte("repos/" + id) }

// partition is where all that belongs to one instance of a repository lives.
func (r repository) partition() []byte { return []byte(r.id + "-" + r.instanceUID) }

func newRepository(env *flow.Env, id string, now int64, s state, bare bool) repository {
	return repository{
		id:               id,
		storageNamespace: "mem://" + id,
		defaultBranchID:  defaultBranch,
		creationDate:     now,
		state:            s,
		instanceUID:      env.Unique("instance"),
		bare:             bare,
	}
}

// readEntry is the repository's entry, and the predicate that replaces just this value; nil if there is none.
func readEntry(ctx context.Context, env *flow.Env, id string) (*repository, flow.Predicate, error) {
	found, err := env.Store.Get(ctx, graveler, repositoryKey(id))
	if errors.Is(err, flow.ErrNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	entry, err := decodeRepository(found.Value)
	if err != nil {
		return nil, nil, err
	}
	return &entry, found.Predicate, nil
}

func writeEntry(ctx context.Context, env *flow.Env, r repository) error {
	return env.Store.Set(ctx, graveler, repositoryKey(r.id), r.encode())
}

func writeEntryIf(ctx context.Context, env *flow.Env, r repository, predicate flow.Predicate) error {
	return env.Store.SetIf(ctx, graveler, repositoryKey(r.id), r.encode(), predicate)
}

// writeEntities writes the first commit, and the default branch at it.
func writeEntities(ctx context.Context, env *flow.Env, r repository) error {
	commitID := "c." + r.instanceUID
	commit := encodeCommit(commitID, "lakeproof", "Repository created", r.creationDate, "instance", r.instanceUID)
	if err := env.Store.Set(ctx, r.partition(), []byte("commits/"+commitID), commit); err != nil {
		return err
	}
	token := r.id + "-" + r.defaultBranchID + ":" + r.instanceUID + "." + env.Unique("staging token")
	branch := encodeBranch(r.defaultBranchID, commitID, token)
	return env.Store.Set(ctx, r.partition(), []byte("branches/"+r.defaultBranchID), branch)
}

// deleteAll scans a partition, and deletes what the scan finds.
func deleteAll(ctx context.Context, env *flow.Env, partition []byte, batchSize int) error {
	entries, err := env.Store.Scan(ctx, partition, flow.ScanOptions{BatchSize: batchSize})
	if err != nil {
		return err
	}
	defer entries.Close()
	for entries.Next() {
		if err := env.Store.Delete(ctx, partition, entries.Entry().Key); err != nil {
			return err
		}
	}
	return entries.Err()
}
