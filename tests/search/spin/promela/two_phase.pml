/* A coordinator asks, waits for both votes, and decides. ABSENT: the second one does not vote. */
bit asked, vote[2], decided, on[3];
#define AWAIT(c) do :: atomic { (c) -> on[_pid] = 1 }; break :: atomic { !(c) -> on[_pid] = 1 } od
active [2] proctype participant() {
    AWAIT(asked);
#ifdef ABSENT
    if :: _pid == 0 -> vote[0] = 1 :: _pid == 1 fi;
#else
    vote[_pid] = 1;
#endif
    do :: atomic { decided -> on[_pid] = 0 }; break :: !decided od
}
active proctype coordinator() {
    atomic { asked = 1; on[2] = 1 };
    AWAIT(vote[0]);
    AWAIT(vote[1]);
    atomic { decided = 1; on[2] = 0 }
}
ltl ends { [] (on[0] -> <> !on[0]) && [] (on[1] -> <> !on[1]) && [] (on[2] -> <> !on[2]) }
ltl decides { [] (asked -> <> decided) }
