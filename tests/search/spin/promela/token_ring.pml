/* A token goes round for ever. LAZY: one passes it on once. */
byte token;
active [3] proctype client() {
    do
    :: token != _pid
    :: token == _pid -> token = (_pid + 1) % 3;
#ifdef LAZY
        if :: _pid == 1 -> break :: else fi
#endif
    od
}
ltl comes { [] <> (token == 0) }
ltl goes { [] (token == 1 -> <> (token == 2)) }
