/* Three wait until three have come. TORN: the count is read and then written. */
byte count;
bit on[3];
active [3] proctype client() {
    byte seen;
#ifdef TORN
    atomic { seen = count; on[_pid] = 1 };
    count = seen + 1;
#else
    do
    :: atomic { seen = count; on[_pid] = 1 };
        if
        :: atomic { count == seen -> count++ }; break
        :: count != seen
        fi
    od;
#endif
    do :: atomic { count == 3 -> on[_pid] = 0 }; break :: count != 3 od
}
ltl ends { [] (on[0] -> <> !on[0]) && [] (on[1] -> <> !on[1]) && [] (on[2] -> <> !on[2]) }
ltl complete { [] <> (count == 3) }
