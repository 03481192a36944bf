// Package flow runs flows in Go under lakeproof: it speaks the protocol flow:, version 1, on stdin and stdout.
//
// A flow is a function that touches the world only through its Env. The interface Store has the shape of lakeFS'
// kv.Store, so that code written against that can be run with few changes. Serve runs flows, one after the other, until
// stdin ends; nothing else may write to stdout.
//
//	func main() {
//		flow.Serve(flow.Flows{"increment": increment})
//	}
//
// A flow must be a function of its arguments and of the replies to its effects: no clock, no random numbers, no order of
// maps, no goroutine of its own. Goroutines that ask for effects are started by a Group, which see: they take turns, so
// that they do the same again.
package flow

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
)

// Flow is one operation. Its result must have a JSON; nil is none. An error that wraps none of those of this package, and
// is no *Failure, is a mistake of the flow.
type Flow func(ctx context.Context, env *Env, args Args) (any, error)

// Flows by the name that a scenario calls them.
type Flows map[string]Flow

// Failure is an error of a flow. Definite means: the call did not take place.
type Failure struct {
	Kind     string
	Definite bool
	Message  string
}

func (f *Failure) Error() string {
	if f.Message == "" {
		return f.Kind
	}
	return f.Kind + ": " + f.Message
}

// Is compares failures by their kind.
func (f *Failure) Is(target error) bool {
	other, ok := target.(*Failure)
	return ok && other.Kind == f.Kind
}

// What stores answer instead of a result. A flow compares with errors.Is, and may return them, wrapped or not.
var (
	ErrNotFound            = &Failure{Kind: "not_found", Definite: true}
	ErrPredicateFailed     = &Failure{Kind: "predicate_failed", Definite: true}
	ErrMissingPartitionKey = &Failure{Kind: "missing_partition_key", Definite: true}
	ErrMissingKey          = &Failure{Kind: "missing_key", Definite: true}
	ErrMissingValue        = &Failure{Kind: "missing_value", Definite: true}
	ErrRefused             = &Failure{Kind: "refused", Definite: true}
	ErrScanInterrupted     = &Failure{Kind: "scan_interrupted", Definite: true}
	ErrUnknown             = &Failure{Kind: "unknown", Definite: false}
	ErrObjectNotFound      = &Failure{Kind: "object_not_found", Definite: true}
	ErrPreconditionFailed  = &Failure{Kind: "precondition_failed", Definite: true}
	ErrUnsupported         = &Failure{Kind: "unsupported", Definite: true}
	ErrExpired             = &Failure{Kind: "expired", Definite: true}
)

// Args are the arguments of a call.
type Args struct {
	positional []json.RawMessage
	named      map[string]json.RawMessage
}

// Len is the number of arguments without a name.
func (a Args) Len() int { return len(a.positional) }

// Text is the argument at a position; it panics where there is none, or another type: the scenario is wrong then.
func (a Args) Text(at int) string {
	var text string
	a.decode(at, &text)
	return text
}

// Int is the argument at a position.
func (a Args) Int(at int) int64 {
	var number int64
	a.decode(at, &number)
	return number
}

// Bool is the argument at a position.
func (a Args) Bool(at int) bool {
	var truth bool
	a.decode(at, &truth)
	return truth
}

// Bytes is the argument at a position.
func (a Args) Bytes(at int) []byte {
	var value struct {
		Base64 []byte `json:"base64"`
	}
	a.decode(at, &value)
	return value.Base64
}

func (a Args) decode(at int, into any) {
	if at >= len(a.positional) {
		panic(fmt.Sprintf("argument %d is missing: the call has %d", at+1, len(a.positional)))
	}
	if string(a.positional[at]) == "null" { // Unmarshal leaves what it decodes into as it is
		panic(fmt.Sprintf("argument %d is null", at+1))
	}
	if err := json.Unmarshal(a.positional[at], into); err != nil {
		panic(fmt.Sprintf("argument %d is %s: %v", at+1, a.positional[at], err))
	}
}

// Option decodes an argument by its name, and says whether the call has it.
func (a Args) Option(name string, into any) bool {
	raw, ok := a.named[name]
	if ok {
		if err := json.Unmarshal(raw, into); err != nil {
			panic(fmt.Sprintf("argument %s is %s: %v", name, raw, err))
		}
	}
	return ok
}

// Env is all that a flow may touch. One flow has one, and each goroutine of a Group another; no other one uses it.
type Env struct {
	Store   Store
	Objects *Objects

	*turns
	task  *task
	state *any
}

func newEnv(t *turns, own *task) *Env {
	env := &Env{turns: t, task: own}
	env.Store = &store{env}
	env.Objects = &Objects{env}
	return env
}

// Now is the time: microseconds since 1970.
func (e *Env) Now() int64 {
	var reply struct {
		Now int64 `json:"now"`
	}
	if err := e.ask(map[string]any{"op": "now"}, &reply); err != nil {
		panic(err)
	}
	return reply.Now
}

// Sleep waits for so many microseconds, or longer. The scenario says what time does.
func (e *Env) Sleep(microseconds int64) {
	if err := e.ask(map[string]any{"op": "sleep", "microseconds": microseconds}, nil); err != nil {
		panic(err)
	}
}

// State goes with the next effect, and with that one alone: what decides all that the flow does from there on, as
// something that has a JSON. Two moments with one effect and one state count for one, so a flow that loops has an end of
// states. Nothing proves it: a state that leaves something out hides what comes of that. Within a Group it says nothing.
func (e *Env) State(state any) { e.state = &state }

// Unique is a fresh identifier of a kind; the same one on every run of the same client.
func (e *Env) Unique(kind string) string {
	var reply struct {
		ID string `json:"id"`
	}
	if err := e.ask(map[string]any{"op": "unique", "kind": kind}, &reply); err != nil {
		panic(err)
	}
	return reply.ID
}

// gone ends a flow that lakeproof has dropped.
type gone struct{}

// ask hands one effect to lakeproof, and waits for the reply.
func (e *Env) ask(effect map[string]any, into any) error {
	if e.dropped {
		panic(gone{}) // a deferred function goes on: nothing of it takes place
	}
	e.effect++
	effect["effect"] = e.effect
	if e.state != nil {
		effect["state"], e.state = *e.state, nil
	}
	if at := caller(); at != "" {
		effect["at"] = at
	}
	told := e.reply(e.task, e.effect, effect)
	if told.Error != nil {
		return &Failure{Kind: told.Error.Kind, Definite: told.Error.Definite}
	}
	if into != nil {
		if err := json.Unmarshal(told.OK, into); err != nil {
			panic(fmt.Sprintf("the reply %s: %v", told.OK, err))
		}
	}
	return nil
}

var here = func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}()

// caller is the line that asked for the effect: the innermost one outside of this package.
func caller() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		frame, more := frames.Next()
		if frame.File != "" && filepath.Dir(frame.File) != here && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return ""
		}
	}
}

// message is a line of lakeproof's.
type message struct {
	Parallel bool                       `json:"parallel"`
	Start    *int64                     `json:"start"`
	Reset    *int64                     `json:"reset"`
	Effect   int64                      `json:"effect"`
	Call     string                     `json:"call"`
	Args     []json.RawMessage          `json:"args"`
	Options  map[string]json.RawMessage `json:"options"`
	OK       json.RawMessage            `json:"ok"`
	Error    *struct {
		Kind     string `json:"kind"`
		Definite bool   `json:"definite"`
	} `json:"error"`
}

type conn struct {
	in       *bufio.Reader
	out      io.Writer
	end      func()
	parallel bool // whether lakeproof knows of several open effects
}

func (c *conn) say(told any) {
	line, err := json.Marshal(told)
	if err != nil {
		panic(fmt.Sprintf("%v has no JSON: %v", told, err))
	}
	if _, err := c.out.Write(append(line, '\n')); err != nil {
		c.end()
	}
}

func (c *conn) hear(told *message) {
	line, err := c.in.ReadBytes('\n')
	if err != nil { // lakeproof has ended
		c.end()
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	if err := decoder.Decode(told); err != nil {
		fmt.Fprintf(os.Stderr, "flow: %q: %v\n", line, err)
		os.Exit(2)
	}
}

// Serve runs the flows that lakeproof asks for, until stdin ends.
func Serve(flows Flows) {
	c := &conn{in: bufio.NewReaderSize(os.Stdin, 1<<16), out: os.Stdout, end: func() { os.Exit(0) }}
	os.Stdout = os.Stderr // what a flow prints must not be among the lines
	var greeting message
	c.hear(&greeting)
	c.parallel = greeting.Parallel
	c.say(map[string]any{"protocol": "flow:", "version": 1})
	for {
		var told message
		c.hear(&told)
		if told.Reset != nil {
			c.say(map[string]any{"reset": *told.Reset})
			continue
		}
		env := newEnv(&turns{conn: c, flow: *told.Start}, &task{})
		if how := run(flows, told, env); how != nil {
			how["flow"] = env.flow
			c.say(how)
		} else {
			c.say(map[string]any{"reset": env.flow})
		}
	}
}

// run is the last line of a flow; nil if the flow was dropped.
func run(flows Flows, told message, env *Env) (how map[string]any) {
	defer func() {
		mistake := recover()
		switch {
		case env.dropped: // whatever the flow has made of it
			how = nil
		case mistake == nil:
		default:
			if failure, ok := mistake.(*Failure); ok { // Now and Unique have no error to return
				how = raises(failure.Kind, failure.Definite, failure.Message)
				return
			}
			how = raises("panic", nil, fmt.Sprint(mistake))
		}
	}()
	call, ok := flows[told.Call]
	if !ok {
		var names []string
		for name := range flows {
			names = append(names, name)
		}
		sort.Strings(names)
		message := fmt.Sprintf("%s: this program has no such flow, but %s", told.Call, strings.Join(names, ", "))
		return raises("no_such_flow", nil, message)
	}
	value, err := call(context.Background(), env, Args{told.Args, told.Options})
	if env.alive > 0 && !env.dropped {
		return raises("panic", nil, "a flow has ended before the goroutines of its groups: Wait for them")
	}
	if err == nil {
		return map[string]any{"returns": value}
	}
	if failure := failureIn(err); failure != nil {
		return raises(failure.Kind, failure.Definite, failure.Message)
	}
	return raises("error", nil, err.Error())
}

// failureIn is the failure that an error wraps; nil if none. Of several joined ones it is the first that is not definite:
// what the others say of their parts, it does not say of the call.
func failureIn(err error) *Failure {
	if with, ok := err.(interface{ As(any) bool }); ok {
		var found *Failure
		if with.As(&found) {
			return found
		}
	}
	switch err := err.(type) {
	case *Failure:
		return err
	case interface{ Unwrap() error }:
		return failureIn(err.Unwrap())
	case interface{ Unwrap() []error }:
		var first *Failure
		for _, each := range err.Unwrap() {
			if found := failureIn(each); found != nil && (first == nil || first.Definite && !found.Definite) {
				first = found
			}
		}
		return first
	}
	return nil
}

func raises(kind string, definite any, text string) map[string]any {
	return map[string]any{"raises": map[string]any{"kind": kind, "definite": definite, "message": text}}
}
