/* Two of three may be inside. TORN: the count is read and then written. */
byte count;
bit inside[3], on[3];
active [3] proctype client() {
    byte seen;
again:
    atomic { seen = count; on[_pid] = 1 };
    if
    :: atomic { seen >= 2 -> seen = 0; goto again }
    :: seen < 2
    fi;
#ifdef TORN
    count = seen + 1;
#else
    if
    :: atomic { count == seen -> count = seen + 1 }
    :: count != seen -> goto again
    fi;
#endif
    inside[_pid] = 1;
    inside[_pid] = 0;
    do
    :: seen = count;
        if
        :: atomic { count == seen -> count = (seen > 0 -> seen - 1 : 0); on[_pid] = 0 }; break
        :: count != seen
        fi
    od
}
ltl two { [] !(inside[0] && inside[1] && inside[2]) }
ltl ends { [] (on[0] -> <> !on[0]) && [] (on[1] -> <> !on[1]) && [] (on[2] -> <> !on[2]) }
