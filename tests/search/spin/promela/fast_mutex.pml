/* Lamport's fast lock of 1987, for two. */
byte x, y;
bit b[3], crit[3];
active [2] proctype client() {
    byte me = _pid + 1;
    byte other = 3 - me;
start:
    b[me] = 1;
    x = me;
    if
    :: y != 0 -> b[me] = 0; goto wait
    :: y == 0
    fi;
    y = me;
    if
    :: x == me -> goto critical
    :: x != me
    fi;
    b[me] = 0;
    do :: !b[other] -> break :: b[other] od;
    if
    :: y == me -> goto critical
    :: y != me
    fi;
wait:
    do :: y == 0 -> goto start :: y != 0 od;
critical:
    crit[me] = 1;
    crit[me] = 0;
    y = 0;
    b[me] = 0;
    goto start
}
ltl mutex { [] !(crit[1] && crit[2]) }
ltl again { [] <> crit[1] }
ltl some { [] <> (crit[1] || crit[2]) }
