/* Bounded time. Whatever the module does is paid for out of one purse; when it
 * is empty the host is asked whether to stop, and a yes ends the call in a
 * trap, from which the host recovers by dropping the instance. Paid for are:
 * steps of the parser, bytes that a lexer looks at, nodes listed, and each turn
 * of a loop in an external scanner, which is foreign code that knows nothing of
 * time (build.sh has the compiler put the call there). Part of runtime.c. */
__attribute__((import_module("fettle"), import_name("stop"))) extern uint32_t host_stop(void);

enum { PURSE = 1 << 21 }; /* some milliseconds */
static int32_t purse = PURSE;

__attribute__((noinline, cold)) static void ask(void) {
  if (host_stop()) __builtin_trap();
  purse = PURSE;
}

static inline void spend(uint32_t turns) {
  purse -= (int32_t)turns;
  if (purse < 0) ask();
}

void __sanitizer_cov_trace_pc(void) { spend(1); }

#include "./lexer.h"

/* A token may look at all of the text that is left and take a byte of it. */
static void metered_finish(Lexer *l, uint32_t *lookahead_end) {
  spend(l->current_position.bytes - l->token_start_position.bytes);
  ts_lexer_finish(l, lookahead_end);
}
