/* Who has received the token may enter. TWICE: it may be received and stay in its channel, once. */
chan token = [3] of { byte };
bit crit[2];
byte twice;
active [2] proctype client() {
    do
#ifdef TWICE
    :: atomic { twice < 1 && nempty(token) -> twice++ }; crit[_pid] = 1; crit[_pid] = 0; token!1
#endif
    :: token?_; crit[_pid] = 1; crit[_pid] = 0; token!1
    od
}
active proctype hand_out() { token!1 }
ltl mutex { [] !(crit[0] && crit[1]) }
#ifndef TWICE
ltl again { [] <> crit[0] }
ltl some { [] <> (crit[0] || crit[1]) }
#endif
