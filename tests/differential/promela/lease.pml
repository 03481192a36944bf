/* A candidate takes over when it has seen the same beat twice. DEAD: the leader beats once and stops. */
bit beat, deposed, on;
active proctype leader() {
    do
    :: beat = 1;
#ifdef DEAD
        break
#else
        beat = 0
#endif
    od
}
active proctype candidate() {
    bit last;
    do
    ::
        atomic { last = beat; on = 1 };
        if
        :: beat == last -> break
        :: beat != last
        fi
    od;
    atomic { deposed = 1; on = 0 }
}
ltl ends { [] (on -> <> !on) }
ltl kept { [] !deposed }
