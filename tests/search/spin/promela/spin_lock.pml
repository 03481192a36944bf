/* A lock that is tried again and again. GREEDY: client 2 takes it for ever. CRASH: a client may stop anywhere, once. */
byte lock;
bit on[3], dead[3];
byte crashes = 1;
#define MAY_CRASH(i) atomic { crashes > 0 && on[i] -> crashes--; dead[i] = 1 }; goto gone
active [3] proctype client() {
again:
    do
    :: atomic { lock == 0 -> lock = 1; on[_pid] = 1 }; break
    :: atomic { lock != 0 -> on[_pid] = 1 }
#ifdef CRASH
    :: MAY_CRASH(_pid)
#endif
    od;
    if
#ifdef GREEDY
    :: atomic { _pid == 2 -> lock = 0 }; goto again
    :: atomic { _pid != 2 -> lock = 0; on[_pid] = 0 }
#else
    :: atomic { lock = 0; on[_pid] = 0 }
#endif
#ifdef CRASH
    :: MAY_CRASH(_pid)
#endif
    fi;
gone:
}
#define ENDS(i) ([] (on[i] -> <> (!on[i] || dead[i])))
#ifdef GREEDY
ltl ends { ENDS(0) && ENDS(1) }
#else
ltl ends { ENDS(0) && ENDS(1) && ENDS(2) }
#endif
