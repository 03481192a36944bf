/* Two readers come and go, a writer looks at one after the other. COURTEOUS: readers do not begin while it waits. */
bit reads[2], wants;
active [2] proctype reader() {
    do
    ::
#ifdef COURTEOUS
        do :: !wants -> break :: wants od;
#endif
        reads[_pid] = 1;
        reads[_pid] = 0
    od
}
active proctype writer() {
    wants = 1;
look:
    if
    :: reads[0] -> goto look
    :: !reads[0]
    fi;
    if
    :: reads[1] -> goto look
    :: !reads[1]
    fi;
    wants = 0
}
ltl enters { [] (wants -> <> !wants) }
