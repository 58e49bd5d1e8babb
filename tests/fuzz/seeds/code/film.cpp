namespace films { class Film { public: int year() { return 1987; } };
template<typename T> T play(T film) { return film; }
}
int films::Film::year() { return 2; }
