/* Dijkstra's way to Dekker's lock: four attempts that fail, and the lock. */
bit flag[2], crit[2];
byte turn;
active [2] proctype client() {
    byte other = 1 - _pid;
    do
    ::
#ifdef ALTERNATE
        do :: turn == _pid -> break :: turn != _pid od;
#endif
#ifdef CHECK_FIRST
        do :: !flag[other] -> break :: flag[other] od;
        flag[_pid] = 1;
#endif
#ifdef SET_FIRST
        flag[_pid] = 1;
        do :: !flag[other] -> break :: flag[other] od;
#endif
#ifdef POLITE
        flag[_pid] = 1;
        do
        :: !flag[other] -> break
        :: flag[other] -> flag[_pid] = 0; flag[_pid] = 1
        od;
#endif
#ifdef DEKKER
        flag[_pid] = 1;
        do
        :: !flag[other] -> break
        :: flag[other] ->
            if
            :: turn == _pid
            :: turn == other ->
                flag[_pid] = 0;
                do :: turn == _pid -> break :: turn != _pid od;
                flag[_pid] = 1
            fi
        od;
#endif
        crit[_pid] = 1;
        crit[_pid] = 0;
#if defined(ALTERNATE)
        turn = other;
        if :: _pid == 1 -> break :: else fi
#elif defined(DEKKER)
        turn = other;
        flag[_pid] = 0
#else
        flag[_pid] = 0
#endif
    od
}
ltl mutex { [] !(crit[0] && crit[1]) }
ltl again { [] <> crit[0] }
