/* The only door into the WebAssembly module: parse a source text and read its
 * syntax tree back as one flat table in preorder. tree-sitter's runtime is
 * compiled into this same unit, unchanged, with its own memory, a cache of
 * parse table look-ups, and a walk that reads the tree without a cursor.
 *
 * Built by build.sh; called by engine.go. */
#include "arena.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tree_sitter/api.h"

#define ts_language_lookup ts_language_scan
#include "./language.h"
#undef ts_language_lookup

/* Small parse states list their symbols; tree-sitter searches such a list anew
 * for each token. The answer depends on the state and the symbol alone. */
enum { LOOKUPS = 1 << 13 };
typedef struct { uint32_t key; uint16_t value; uint16_t language; } Lookup;
static Lookup lookups[LOOKUPS];
static uint16_t current; /* the language being parsed, from 1 */

static inline uint16_t ts_language_lookup(const TSLanguage *self, TSStateId state, TSSymbol symbol) {
  if (state < self->large_state_count) return self->parse_table[state * self->symbol_count + symbol];
  uint32_t key = (uint32_t)state << 16 | symbol;
  Lookup *l = &lookups[(key * 2654435761u) >> 19];
  if (l->key != key || l->language != current) {
    l->value = ts_language_scan(self, state, symbol);
    l->key = key;
    l->language = current;
  }
  return l->value;
}

#include "meter.c"
#include "./alloc.c"
#include "./get_changed_ranges.c"
#include "./language.c"
#include "./lexer.c"
#include "./node.c"
#define ts_lexer_finish metered_finish
#include "./parser.c"
#include "./query.c"
#include "./stack.c"
#include "./subtree.c"
#include "./tree_cursor.c"
#include "./tree.c"
#include "./wasm_store.c"
#include "arena.c"

#define EXPORT(name) __attribute__((export_name(name)))

/* grammars.h lists the module's grammars in the order of engine.go. */
#define GRAMMAR(name) const TSLanguage *tree_sitter_##name(void);
#include "grammars.h"
#undef GRAMMAR

static const TSLanguage *language(uint32_t id) {
#define GRAMMAR(name) if (id-- == 0) return tree_sitter_##name();
#include "grammars.h"
  return NULL;
}

#include "table.c"

typedef struct { const char *bytes; uint32_t length; } Text;

static const char *read_text(void *payload, uint32_t from, TSPoint point, uint32_t *n) {
  (void)point;
  Text *t = payload;
  if (from >= t->length) { *n = 0; return ""; }
  *n = t->length - from;
  return t->bytes + from;
}

/* Called every hundred steps of the parser; a step is some hundred turns of a
 * loop. */
static bool progress(TSParseState *state) {
  (void)state;
  spend(1 << 14);
  return false;
}

static TSTree *kept; /* the tree that f_edit goes on from */
static uint32_t kept_language;

static TSTree *parse(uint32_t id, const TSTree *old, const char *src, uint32_t length) {
  current = id + 1;
  TSParser *parser = ts_parser_new();
  TSTree *tree = NULL;
  if (ts_parser_set_language(parser, language(id))) {
    Text text = {src, length};
    TSInput input = {&text, read_text, TSInputEncodingUTF8, NULL};
    TSParseOptions options = {NULL, progress};
    tree = ts_parser_parse_with_options(parser, old, input, options);
  }
  ts_parser_delete(parser);
  return tree;
}

static int32_t list(const TSTree *tree) {
  return tree ? flatten(tree->language, tree->root, ts_subtree_padding(tree->root).bytes) : -1;
}

/* Parses length bytes at src and forgets every other tree. Returns the number
 * of nodes, -1 when memory ran out, -2 for a language that is not
 * here. */
EXPORT("f_parse") int32_t f_parse(uint32_t id, const char *src, uint32_t length) {
  if (!language(id)) return -2;
  arena_reset();
  kept = NULL;
  return list(parse(id, NULL, src, length));
}

/* f_parse, whose tree stays for f_edit. */
EXPORT("f_open") int32_t f_open(uint32_t id, const char *src, uint32_t length) {
  if (!language(id)) return -2;
  arena_reset();
  kept_language = id;
  kept = parse(id, NULL, src, length);
  return list(kept);
}

/* One edit of the kept tree's text, places as byte, row and column; the text
 * at src is the new one. Returns what f_parse does. */
EXPORT("f_edit") int32_t f_edit(const TSInputEdit *edit, const char *src, uint32_t length) {
  if (!kept) return -2;
  ts_tree_edit(kept, edit);
  TSTree *next = parse(kept_language, kept, src, length);
  ts_tree_delete(kept);
  kept = next;
  return list(kept);
}

EXPORT("f_table") Record *f_table(void) { return table; }

EXPORT("f_symbols") uint32_t f_symbols(uint32_t id) { return ts_language_symbol_count(language(id)); }

EXPORT("f_symbol") const char *f_symbol(uint32_t id, uint32_t symbol) {
  return ts_language_symbol_name(language(id), (TSSymbol)symbol);
}

EXPORT("f_fields") uint32_t f_fields(uint32_t id) { return ts_language_field_count(language(id)); }

EXPORT("f_field") const char *f_field(uint32_t id, uint32_t field) {
  return ts_language_field_name_for_id(language(id), (TSFieldId)field);
}

EXPORT("f_alloc") void *f_alloc(uint32_t n) { return malloc(n); }

EXPORT("f_release") void f_release(void *p) { free(p); }
