/* Chang and Roberts: the greatest number travels round the ring. LOST: one message may be lost. */
chan ring[3] = [3] of { byte };
byte leader, lost;
#ifdef LOST
#define SEND(c, m) if :: c!m :: atomic { lost < 1 -> lost++ } fi
#else
#define SEND(c, m) c!m
#endif
active [3] proctype node() {
    byte got;
    SEND(ring[(_pid + 1) % 3], _pid);
    do
    :: ring[_pid]?got;
        if
        :: got > _pid; SEND(ring[(_pid + 1) % 3], got)
        :: got == _pid; leader = _pid; break
        :: got < _pid
        fi
    od
}
ltl elects { [] <> (leader == 2) }
ltl wrong { [] !(leader == 1) }
