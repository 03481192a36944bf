/* Lamport's bakery, once each. HASTY: without the flags of those who choose. */
byte number[2];
bit choosing[2], crit[2], on[2];
active [2] proctype client() {
    byte other = 1 - _pid;
    byte mine;
#ifndef HASTY
    atomic { choosing[_pid] = 1; on[_pid] = 1 };
#endif
    atomic { mine = number[other] + 1; on[_pid] = 1 };
    number[_pid] = mine;
#ifndef HASTY
    choosing[_pid] = 0;
    do :: !choosing[other] -> break :: choosing[other] od;
#endif
#define FIRST (number[other] == 0 || number[other] > mine || (number[other] == mine && other > _pid))
    do :: FIRST -> break :: !FIRST od;
    crit[_pid] = 1;
    crit[_pid] = 0;
    atomic { number[_pid] = 0; on[_pid] = 0 }
}
ltl mutex { [] !(crit[0] && crit[1]) }
ltl ends { [] (on[0] -> <> !on[0]) && [] (on[1] -> <> !on[1]) }
ltl enters { [] (choosing[0] -> <> crit[0]) }
