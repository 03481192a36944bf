package kvstore

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"sync"
)

const tokensMax = 1 << 16

// tokens lets predicates, which may be any value of Go, be named in JSON. Bytes are sent as they are. Everything else
// stays here, and is sent as a number, with the name of this process: another one must not take it for its own.
type tokens struct {
	process string
	lock    sync.Mutex
	next    int64
	held    map[int64]any
}

type token struct {
	Bytes   []byte `json:"bytes,omitempty"`
	Process string `json:"process,omitempty"`
	Number  int64  `json:"number,omitempty"`
}

func newTokens() *tokens {
	name := make([]byte, 8)
	if _, err := rand.Read(name); err != nil {
		panic(err) // without it predicates of two processes could be mixed up
	}
	return &tokens{process: hex.EncodeToString(name), held: map[int64]any{}}
}

func (t *tokens) token(predicate any) token {
	if bytes, ok := predicate.([]byte); ok && len(bytes) > 0 {
		return token{Bytes: bytes}
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	t.next++
	t.held[t.next] = predicate
	delete(t.held, t.next-tokensMax)
	return token{Process: t.process, Number: t.next}
}

// predicate is what a request names: nil, Exists, or what Get returned. ErrForgotten if it is not here.
func (t *tokens) predicate(raw json.RawMessage) (any, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var named struct {
		Exists bool  `json:"exists"`
		Value  token `json:"value"`
	}
	if err := json.Unmarshal(raw, &named); err != nil {
		return nil, err
	}
	if named.Exists {
		return Exists, nil
	}
	if len(named.Value.Bytes) > 0 {
		return named.Value.Bytes, nil
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	predicate, ok := t.held[named.Value.Number]
	if !ok || named.Value.Process != t.process {
		return nil, ErrForgotten
	}
	return predicate, nil
}
