/* Compiles one generated parser (PARSER_C, its header PARSER_H) unchanged, but
 * with the two steps that its lexer takes for each byte written out here: a
 * plain ASCII character is taken without an indirect call. */
#include <stddef.h>
#include "tree_sitter/api.h"
#include PARSER_H
#include "./lexer.h"

static inline void step(TSLexer *l, bool skip) {
  Lexer *s = (Lexer *)l;
  uint32_t in = s->current_position.bytes + 1 - s->chunk_start;
  if (s->lookahead_size == 1 && in < s->chunk_size && (int8_t)s->chunk[in] >= 0) {
    s->current_position.bytes++;
    if (l->lookahead == '\n') {
      s->current_position.extent.row++;
      s->current_position.extent.column = 0;
      s->column_data = (ColumnData){0, true};
    } else {
      s->current_position.extent.column++;
      if (s->column_data.valid) s->column_data.value++;
    }
    if (skip) s->token_start_position = s->current_position;
    l->lookahead = s->chunk[in];
  } else {
    l->advance(l, skip);
  }
}

/* The text is always one whole range. */
static inline void end_here(TSLexer *l) {
  Lexer *s = (Lexer *)l;
  s->token_end_position = s->current_position;
}

/* Past the end the character is 0; so may be one of the text. */
static inline bool at_end(const TSLexer *l) {
  const Lexer *s = (const Lexer *)l;
  return s->current_included_range_index == s->included_range_count;
}
#define eof(l) lookahead == 0 && at_end(l) /* for: eof = lexer->eof(lexer) */

#undef START_LEXER
#define START_LEXER()      \
  bool result = false;     \
  bool skip = false;       \
  UNUSED bool eof = false; \
  int32_t lookahead;       \
  goto start;              \
  next_state:              \
  step(lexer, skip);       \
  start:                   \
  skip = false;            \
  lookahead = lexer->lookahead;

#undef ACCEPT_TOKEN
#define ACCEPT_TOKEN(symbol_value)     \
  result = true;                       \
  lexer->result_symbol = symbol_value; \
  end_here(lexer);

#include PARSER_C
