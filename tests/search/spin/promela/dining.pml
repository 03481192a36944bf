/* Three philosophers, three forks, once each. SORTED: the fork with the lower number first. */
bit fork[3], on[3];
#define TAKE(f) do :: atomic { !fork[f] -> fork[f] = 1; on[_pid] = 1 }; break :: atomic { fork[f] -> on[_pid] = 1 } od
active [3] proctype philosopher() {
    byte first = _pid, second = (_pid + 1) % 3;
#ifdef SORTED
    d_step { if :: first > second -> first = 0; second = 2 :: else fi };
#endif
    TAKE(first);
    TAKE(second);
    fork[second] = 0;
    atomic { fork[first] = 0; on[_pid] = 0 }
}
ltl ends { [] (on[0] -> <> !on[0]) && [] (on[1] -> <> !on[1]) && [] (on[2] -> <> !on[2]) }
