/* Two-phase commit by messages. CRASH: one process may stop anywhere. */
chan to[2] = [2] of { byte };
chan votes = [2] of { byte };
bit on[3], dead[3], decided;
#ifdef CRASH
byte crashes = 1;
#else
byte crashes;
#endif
#define OR_CRASH :: atomic { crashes > 0 -> crashes--; dead[_pid] = 1 }; goto gone fi
active [2] proctype participant() {
    if :: atomic { to[_pid]?_; on[_pid] = 1 } OR_CRASH;
    if :: votes!1 OR_CRASH;
    if :: atomic { to[_pid]?_; on[_pid] = 0 } OR_CRASH;
gone:
}
active proctype coordinator() {
    if :: to[0]!1 OR_CRASH;
    if :: to[1]!1 OR_CRASH;
    if :: votes?_ OR_CRASH;
    if :: votes?_ OR_CRASH;
    if :: to[0]!2 OR_CRASH;
    if :: to[1]!2 OR_CRASH;
    if :: decided = 1 OR_CRASH;
gone:
}
#define ENDS(i) ([] (on[i] -> <> (!on[i] || dead[i])))
ltl ends { ENDS(0) && ENDS(1) }
ltl decides { [] <> decided }
