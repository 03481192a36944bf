/* Two tries, then no more. */
bit lock, on[3];
active [3] proctype client() {
    byte tries;
    do
    :: atomic { lock == 0 -> lock = 1; on[_pid] = 1 }; atomic { lock = 0; on[_pid] = 0 }; break
    :: atomic { lock == 1 && tries == 0 -> tries = 1; on[_pid] = 1 }
    :: atomic { lock == 1 && tries == 1 -> on[_pid] = 0 }; break
    od
}
ltl ends { [] (on[0] -> <> !on[0]) && [] (on[1] -> <> !on[1]) && [] (on[2] -> <> !on[2]) }
