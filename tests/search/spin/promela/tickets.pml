/* A ticket is drawn by compare-and-swap, and waited for. AGAIN: client 1 comes back for ever. */
byte next, serving;
bit on[2];
active [2] proctype client() {
    byte mine;
draw:
    atomic { mine = next; on[_pid] = 1 };
    if
    :: atomic { next == mine -> next = (next + 1) % 3 }
    :: next != mine -> goto draw
    fi;
    do
    :: serving == mine -> break
    :: serving != mine
    od;
#ifdef AGAIN
    if
    :: atomic { _pid == 1 -> serving = (mine + 1) % 3; mine = 0 }; goto draw
    :: atomic { _pid == 0 -> serving = (mine + 1) % 3; on[0] = 0 }
    fi
#else
    atomic { serving = (mine + 1) % 3; on[_pid] = 0 }
#endif
}
ltl ends { [] (on[0] -> <> !on[0])
#ifndef AGAIN
    && [] (on[1] -> <> !on[1])
#endif
}
