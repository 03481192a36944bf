package flow

import "context"

// Objects is the object store. Each call is one effect, each page of a listing another.
type Objects struct{ env *Env }

// Metadata of an object: strings by name.
type Metadata map[string]string

// Head is what the store tells of an object without its content. A listing tells no metadata.
type Head struct {
	Address        string   `json:"address"`
	SizeBytes      int64    `json:"size_bytes"`
	ETag           string   `json:"etag"`
	LastModified   int64    `json:"last_modified"` // microseconds since 1970
	Metadata       Metadata `json:"metadata"`
	Metageneration int64    `json:"metageneration"`
	Version        string   `json:"version"`
}

// PutOptions are conditions; the zero value has none. NotAfter: microseconds since 1970.
type PutOptions struct {
	IfAbsent bool
	IfMatch  *string
	NotAfter *int64
}

// Put writes content and metadata. ErrPreconditionFailed, ErrExpired.
func (o *Objects) Put(_ context.Context, address string, content []byte, metadata Metadata, options PutOptions) error {
	if metadata == nil {
		metadata = Metadata{}
	}
	return o.env.ask(map[string]any{
		"op": "put_object", "address": address, "content": filled(content), "metadata": metadata,
		"if_absent": options.IfAbsent, "if_match": options.IfMatch, "not_after": options.NotAfter,
	}, nil)
}

// Get returns the content. ErrObjectNotFound.
func (o *Objects) Get(_ context.Context, address string) ([]byte, error) {
	var reply struct {
		Content []byte `json:"content"`
	}
	err := o.env.ask(map[string]any{"op": "get_object", "address": address}, &reply)
	return reply.Content, err
}

// Head returns what is known of an object. ErrObjectNotFound.
func (o *Objects) Head(_ context.Context, address string) (Head, error) {
	var reply Head
	err := o.env.ask(map[string]any{"op": "head_object", "address": address}, &reply)
	return reply, err
}

// CopyOptions are conditions; the zero value has none, and keeps the metadata of the source.
type CopyOptions struct {
	Metadata Metadata
	IfMatch  *string
	NotAfter *int64
}

// Copy copies an object inside the store. ErrObjectNotFound, ErrPreconditionFailed, ErrExpired.
func (o *Objects) Copy(_ context.Context, source, destination string, options CopyOptions) error {
	return o.env.ask(map[string]any{
		"op": "copy_object", "source": source, "destination": destination, "metadata": options.Metadata,
		"if_match": options.IfMatch, "not_after": options.NotAfter,
	}, nil)
}

// SetMetadataOptions are conditions; the zero value has none.
type SetMetadataOptions struct {
	IfMetageneration *int64
	IfVersion        *string
}

// SetMetadata replaces the metadata. ErrObjectNotFound, ErrPreconditionFailed.
func (o *Objects) SetMetadata(_ context.Context, address string, metadata Metadata, options SetMetadataOptions) error {
	if metadata == nil {
		metadata = Metadata{}
	}
	return o.env.ask(map[string]any{
		"op": "set_metadata", "address": address, "metadata": metadata,
		"if_metageneration": options.IfMetageneration, "if_version": options.IfVersion,
	}, nil)
}

// Delete removes an object; an absent one is no error.
func (o *Objects) Delete(_ context.Context, address string) error {
	return o.env.ask(map[string]any{"op": "delete_object", "address": address}, nil)
}

// Page is one page of a listing: heads of the addresses with a prefix that come after another one, at most limit of them
// (0: all); and whether there are more.
func (o *Objects) Page(_ context.Context, prefix, after string, limit int) ([]Head, bool, error) {
	var reply struct {
		Heads []Head `json:"heads"`
		More  bool   `json:"more"`
	}
	err := o.env.ask(map[string]any{"op": "list_objects", "prefix": prefix, "after": after, "limit": limit}, &reply)
	return reply.Heads, reply.More, err
}
