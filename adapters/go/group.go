package flow

import (
	"errors"
	"fmt"
)

// Group runs goroutines whose effects are open at the same time, as a multierror.Group or an errgroup.Group without a
// context does:
//
//	g := env.Group()
//	g.Go(func(env *flow.Env) error { return deleteBranches(ctx, env, repository) })
//	g.Go(func(env *flow.Env) error { return deleteTags(ctx, env, repository) })
//	if err := g.Wait(); err != nil {
//
// Each function is given an Env of its own, and uses no other. Only one goroutine of a flow runs at a time: until it asks
// for an effect, waits for a group, or ends. Then the next one does, in order of start. So what they share needs no lock.
type Group struct {
	env  *Env
	errs []error
	left int
}

// Group begins a group. It must be waited for before the flow ends.
func (e *Env) Group() *Group {
	if !e.conn.parallel {
		panic("this lakeproof knows one open effect at a time: use a newer one, or run the functions one after the other")
	}
	e.task.groups++
	return &Group{env: e}
}

// Go starts a function; it begins when the goroutine that starts it asks for an effect or waits.
func (g *Group) Go(f func(env *Env) error) {
	t := g.env.turns
	g.env.task.count++
	own := &task{name: fmt.Sprint(g.env.task.count), resumed: make(chan message), parked: make(chan struct{})}
	if g.env.task.name != "" {
		own.name = g.env.task.name + "." + own.name
	}
	at := len(g.errs)
	g.errs = append(g.errs, nil)
	g.left++
	t.alive++
	t.ready = append(t.ready, own)
	go func() {
		<-own.resumed
		defer func() {
			if mistake := recover(); mistake != nil && !t.dropped {
				if failure, ok := mistake.(*Failure); ok { // Now and Unique have no error to return
					g.errs[at] = failure
				} else {
					t.mistake = mistake
				}
			}
			g.left--
			t.alive--
			own.parked <- struct{}{}
		}()
		if !t.dropped {
			g.errs[at] = f(newEnv(t, own))
		}
	}()
}

// Wait returns when all functions have: their errors, joined in order of start, or nil.
func (g *Group) Wait() error {
	t, own := g.env.turns, g.env.task
	if g.left > 0 {
		own.until = func() bool { return g.left == 0 }
		t.park(own)
	}
	if own.groups--; own.groups == 0 {
		own.count = 0
	}
	return errors.Join(g.errs...)
}

// task is one goroutine of a flow. The main one has no name and no channels: it runs the others while it waits.
type task struct {
	name    string
	count   int // of the goroutines that it has started
	groups  int // that it has open
	waits   int64
	told    message
	until   func() bool
	resumed chan message
	parked  chan struct{}
}

// turns are the goroutines of a flow, of which one runs at a time.
type turns struct {
	conn    *conn
	flow    int64
	effect  int64
	dropped bool
	alive   int
	ready   []*task
	waiting []*task
	opened  []map[string]any
	mistake any
}

// reply waits for the reply to an effect of a task.
func (t *turns) reply(own *task, number int64, effect map[string]any) message {
	if t.alive == 0 { // nothing else is open
		effect["flow"] = t.flow
		t.conn.say(effect)
		return t.heard()
	}
	effect["task"] = own.name
	t.opened = append(t.opened, effect)
	own.waits = number
	own.until = func() bool { return own.waits == 0 }
	t.park(own)
	return own.told
}

func (t *turns) heard() (told message) {
	t.conn.hear(&told)
	if told.Reset != nil {
		t.drop()
		panic(gone{})
	}
	return told
}

// park lets others run until a task can go on.
func (t *turns) park(own *task) {
	if t.dropped {
		panic(gone{})
	}
	t.waiting = append(t.waiting, own)
	if own.resumed == nil {
		t.run(own)
	} else {
		own.parked <- struct{}{}
		<-own.resumed
	}
	if t.dropped {
		panic(gone{})
	}
}

// run is the scheduler, on the main goroutine: all others run until they wait; then lakeproof is told what is open.
func (t *turns) run(main *task) {
	for {
		for len(t.ready) > 0 {
			next := t.ready[0]
			t.ready = t.ready[1:]
			t.step(next)
			if t.mistake != nil {
				mistake := t.mistake
				t.drop()
				t.dropped, t.mistake = false, nil
				panic(mistake)
			}
			t.wake(main)
		}
		if t.wake(main); main.until == nil {
			return
		}
		if len(t.ready) > 0 {
			continue
		}
		opened := t.opened
		if t.opened = nil; opened == nil {
			opened = []map[string]any{}
		}
		t.conn.say(map[string]any{"flow": t.flow, "opens": opened})
		told := t.heard()
		for _, each := range t.waiting {
			if each.waits == told.Effect {
				each.told, each.waits = told, 0
			}
		}
		t.wake(main)
	}
}

// wake makes those ready that have waited long enough; of the main task it only notes that it may go on, when no other is
// ready before it.
func (t *turns) wake(main *task) {
	left := t.waiting[:0:0]
	for _, each := range t.waiting {
		switch {
		case !each.until():
			left = append(left, each)
		case each != main:
			each.until = nil
			t.ready = append(t.ready, each)
		case len(t.ready) > 0:
			left = append(left, each)
		default:
			each.until = nil
		}
	}
	t.waiting = left
}

// step runs one goroutine until it waits or ends.
func (t *turns) step(next *task) {
	next.resumed <- message{}
	<-next.parked
}

// drop unwinds all goroutines but the main one: nothing of what they do takes place.
func (t *turns) drop() {
	t.dropped = true
	for _, each := range append(t.ready, t.waiting...) {
		if each.resumed != nil {
			t.step(each)
		}
	}
	t.ready, t.waiting, t.opened = nil, nil, nil
}
