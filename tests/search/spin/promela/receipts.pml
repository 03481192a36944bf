/* A sender waits for a receipt of its bit. LOST: a message may be lost. STUBBORN: the sender sends a bit once more. */
chan data = [6] of { byte };
chan receipts = [6] of { byte };
byte lost, delivered;
#ifdef LOST
#define SEND(c, m) if :: c!m :: atomic { lost < 1 -> lost++ } fi
#else
#define SEND(c, m) c!m
#endif
#ifdef STUBBORN
#define TWICE 1
#else
#define TWICE 0
#endif
active proctype sender() {
    byte mine, got;
    bit again;
    do
    :: SEND(data, mine);
        again = TWICE;
        do
        :: if :: receipts?got :: atomic { empty(receipts) -> got = 9 } fi;
            if
            :: got == mine; break
            :: got == 9 && again; SEND(data, mine); again = 0
            :: got != mine && !(got == 9 && again)
            fi
        od;
        mine = 1 - mine
    od
}
active proctype receiver() {
    byte expected, got;
    do
    :: data?got;
        if :: got == expected; delivered = got; expected = 1 - expected :: got != expected fi;
        SEND(receipts, got)
    od
}
ltl delivers { [] <> (delivered == 1) }
