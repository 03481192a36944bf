/* News come in the order in which they are told. OVERTAKEN: they may change places, once. */
chan news = [2] of { byte };
byte last, overtaken;
active proctype tell() { news!1; news!2 }
active proctype listen() {
    byte got, heard;
    do
    :: atomic { heard < 2 && nempty(news) -> news?got; heard++ }; last = got
#ifdef OVERTAKEN
    :: atomic { overtaken < 1 && len(news) == 2 -> overtaken++; news??2; got = 2; heard++ }; last = got
#endif
    :: heard == 2; break
    od
}
ltl told { [] <> (last == 2) }
