/* Peterson's lock. SWAPPED: the turn is given away before the flag is raised. */
bit flag[2], crit[2];
byte turn;
active [2] proctype client() {
    byte other = 1 - _pid;
    do
    ::
#ifdef SWAPPED
        turn = other;
        flag[_pid] = 1;
#else
        flag[_pid] = 1;
        turn = other;
#endif
        do
        :: !flag[other] -> break
        :: flag[other] ->
            if
            :: turn == _pid -> break
            :: turn == other
            fi
        od;
        crit[_pid] = 1;
        crit[_pid] = 0;
        flag[_pid] = 0
    od
}
ltl mutex { [] !(crit[0] && crit[1]) }
ltl enters { [] (flag[0] -> <> crit[0]) }
