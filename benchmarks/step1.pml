/* The Step 1 repository flows as a Promela model, for comparison with lakeproof's exhaustive search.
 *
 * One transition per effect, as in the flows: each guarded command is one d_step. What a process does not need any
 * more is set to 0, so that states that differ only in the past are one state here as well.
 *
 * CREATORS, DELETERS and GETTERS say how many clients of each kind run at once; instance 1 exists beforehand.
 * A finished process waits for ever at a valid end state: to let it die would only add transitions.
 * repo: 0 absent, else 2 * instance + (1 if deleting).
 */

#define INSTANCES (CREATORS + 2)
#define IS_ACTIVE(entry) ((entry) != 0 && ((entry) & 1) == 0)
#define INSTANCE(entry) ((entry) >> 1)

#define OK 1
#define NOT_FOUND 2
#define NOT_UNIQUE 3
#define DELETING 4

byte repo = 2;
bit commit[INSTANCES], branch[INSTANCES];
byte result[CREATORS + DELETERS + GETTERS + 1];

/* active-is-complete, checked wherever the store has changed */
inline complete() {
    assert(!IS_ACTIVE(repo) || (commit[INSTANCE(repo)] && branch[INSTANCE(repo)]))
}

proctype creator(byte me, uid) {
    if
    :: d_step { repo != 0 -> result[me] = NOT_UNIQUE }; goto done
    :: d_step { repo == 0 -> skip }
    fi;
    d_step { commit[uid] = 1; complete() };
    d_step { branch[uid] = 1; complete() };
    d_step {
        if
        :: repo == 0 -> repo = 2 * uid; result[me] = OK
        :: else -> result[me] = NOT_UNIQUE
        fi;
        complete()
    };
done:
end:
    false
}

proctype deleter(byte me) {
    byte seen;
    bit c, b;
    if
    :: d_step { repo == 0 -> result[me] = NOT_FOUND }; goto done
    :: d_step { repo != 0 -> seen = repo | 1 }
    fi;
    d_step { repo = seen; complete() };
    d_step { seen = INSTANCE(seen); b = branch[seen]; c = commit[seen]; if :: !b && !c -> seen = 0 :: else fi };
    if
    :: d_step { b -> branch[seen] = 0; b = 0; if :: !c -> seen = 0 :: else fi; complete() }
    :: !b
    fi;
    if
    :: d_step { c -> commit[seen] = 0; c = 0; seen = 0; complete() }
    :: !c
    fi;
    d_step { repo = 0; result[me] = OK };
done:
end:
    false
}

proctype getter(byte me) {
    d_step {
        if
        :: repo == 0 -> result[me] = NOT_FOUND
        :: repo & 1 -> result[me] = DELETING
        :: else -> result[me] = 16 + INSTANCE(repo)
        fi
    };
end:
    false
}

init {
    byte i;
    d_step { commit[1] = 1; branch[1] = 1 };
    atomic {
        i = 0;
        do
        :: i < CREATORS -> run creator(i, i + 2); i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < DELETERS -> run deleter(CREATORS + i); i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < GETTERS -> run getter(CREATORS + DELETERS + i); i++
        :: else -> break
        od;
        i = 0
    }
}
