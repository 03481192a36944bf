/* Two throw a ball, for ever. LOST: one throw may be lost. IDLE: a third one does nothing, for ever. */
chan here = [2] of { byte };
chan there = [2] of { byte };
byte lost;
#ifdef LOST
#define SEND(c) if :: c!1 :: atomic { lost < 1 -> lost++ } fi
#else
#define SEND(c) c!1
#endif
active proctype one() { SEND(there); do :: here?_; SEND(there) od }
active proctype other() { do :: there?_; SEND(here) od }
#ifdef IDLE
active proctype idle() { byte seen; do :: seen = 0 od }
#endif
ltl comes { [] <> (len(here) == 1) }
