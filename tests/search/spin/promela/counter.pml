/* Two increments. TORN: the number is read and then written. */
byte number;
active [2] proctype client() {
    byte seen;
#ifdef TORN
    seen = number;
    number = seen + 1
#else
    do
    :: seen = number;
        if
        :: atomic { number == seen -> number++ }; break
        :: number != seen
        fi
    od
#endif
}
ltl counts { [] <> (number == 2) }
