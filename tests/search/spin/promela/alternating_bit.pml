/* A sender repeats until its bit is acknowledged. LOSSY: messages may be lost for ever; ONCE: one may. 2 is nothing. */
byte message = 2, ack = 2, delivered = 2;
active proctype sender() {
    byte mine;
    do
    :: message = mine;
        if
        :: d_step { ack == mine -> mine = 1 - mine }
        :: ack != mine
        fi
    od
}
active proctype receiver() {
    byte got = 2;
    do
    :: message == 2
    :: d_step { message != 2 -> got = message };
        delivered = got;
        d_step { ack = got; got = 2 }
    od
}
#ifdef LOSSY
active proctype loser() { do :: message = 2 od }
#endif
#ifdef ONCE
active proctype loser() { message = 2 }
#endif
ltl delivers { [] <> (delivered == 1) }
