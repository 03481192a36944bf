/* Two locks, both or none: who gets the first alone gives it back. SORTED: both begin with the same one. */
bit key[2], on[2];
active [2] proctype client() {
#ifdef SORTED
#define ONE 0
#define TWO 1
#else
#define ONE _pid
#define TWO (1 - _pid)
#endif
    do
    :: atomic { key[ONE] -> on[_pid] = 1 }
    :: atomic { !key[ONE] -> key[ONE] = 1; on[_pid] = 1 };
        if
        :: !key[TWO] -> key[TWO] = 1; break
        :: key[TWO] -> key[ONE] = 0
        fi
    od;
    key[TWO] = 0;
    atomic { key[ONE] = 0; on[_pid] = 0 }
}
ltl ends { [] (on[0] -> <> !on[0]) && [] (on[1] -> <> !on[1]) }
