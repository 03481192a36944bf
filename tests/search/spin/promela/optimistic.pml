/* Read, work, compare and swap. AGAIN: client 2 commits for ever. */
byte version;
bit on[3];
active [3] proctype client() {
    byte base;
commit:
    atomic { base = version; on[_pid] = 1 };
    if
    :: version != base -> goto commit
#ifdef AGAIN
    :: atomic { version == base && _pid == 2 -> version = (base + 1) % 4; base = 0; goto commit }
    :: atomic { version == base && _pid != 2 -> version = (base + 1) % 4; on[_pid] = 0 }
#else
    :: atomic { version == base -> version = (base + 1) % 4; on[_pid] = 0 }
#endif
    fi
}
ltl ends { [] (on[0] -> <> !on[0]) && [] (on[1] -> <> !on[1]) }
ltl somebody { [] <> (version == 3) }
