/* The only door into the WebAssembly module: parse a source text and read its
 * syntax tree back as one flat table in preorder. Nothing is kept between two
 * parses but the parser of each language.
 *
 * Built by build.sh; called by engine.go. */
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

#define EXPORT(name) __attribute__((export_name(name)))

const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_javascript(void);
const TSLanguage *tree_sitter_typescript(void);
const TSLanguage *tree_sitter_tsx(void);
const TSLanguage *tree_sitter_go(void);
const TSLanguage *tree_sitter_java(void);
const TSLanguage *tree_sitter_rust(void);
const TSLanguage *tree_sitter_ruby(void);

/* The order is the contract with engine.go. */
static const TSLanguage *language(uint32_t id) {
  switch (id) {
    case 0: return tree_sitter_python();
    case 1: return tree_sitter_javascript();
    case 2: return tree_sitter_typescript();
    case 3: return tree_sitter_tsx();
    case 4: return tree_sitter_go();
    case 5: return tree_sitter_java();
    case 6: return tree_sitter_rust();
    case 7: return tree_sitter_ruby();
    default: return NULL;
  }
}

enum { NAMED = 1, ERROR = 2, MISSING = 4, EXTRA = 8, HAS_ERROR = 16 };

/* One node. parent is an index into the table (its own index for the root);
 * field is the number of the node's field in its parent, 0 for none. */
typedef struct {
  uint16_t symbol, field;
  uint32_t start, end, parent, flags;
} Record;

static Record *table;
static uint32_t used, room;

/* The host says whether to stop (deadline or cancellation); asked every few
 * thousand steps, so that the parser itself runs at full speed. */
__attribute__((import_module("fettle"), import_name("stop"))) extern uint32_t host_stop(void);

static bool progress(TSParseState *state) {
  uint32_t *ticks = state->payload;
  return (++*ticks & 63) == 0 && host_stop();
}

typedef struct { const char *bytes; uint32_t length; } Text;

static const char *read_text(void *payload, uint32_t at, TSPoint point, uint32_t *n) {
  (void)point;
  Text *t = payload;
  if (at >= t->length) { *n = 0; return ""; }
  *n = t->length - at;
  return t->bytes + at;
}

static bool push(TSTreeCursor *cursor, uint32_t parent) {
  if (used == room) {
    uint32_t more = room ? room * 2 : 8192;
    Record *grown = realloc(table, more * sizeof(Record));
    if (!grown) return false;
    table = grown;
    room = more;
  }
  TSNode n = ts_tree_cursor_current_node(cursor);
  Record *r = &table[used++];
  r->symbol = ts_node_symbol(n);
  r->field = ts_tree_cursor_current_field_id(cursor);
  r->start = ts_node_start_byte(n);
  r->end = ts_node_end_byte(n);
  r->parent = parent;
  r->flags = (ts_node_is_named(n) ? NAMED : 0) | (ts_node_is_error(n) ? ERROR : 0) |
             (ts_node_is_missing(n) ? MISSING : 0) | (ts_node_is_extra(n) ? EXTRA : 0) |
             (ts_node_has_error(n) ? HAS_ERROR : 0);
  return true;
}

/* Preorder walk of the whole tree into the table; -1 when memory or time ran out. */
static int32_t flatten(TSTree *tree) {
  TSTreeCursor c = ts_tree_cursor_new(ts_tree_root_node(tree));
  used = 0;
  uint32_t parent = 0;
  int32_t result = -1;
  for (;;) {
    if ((used & 65535) == 65535 && host_stop()) goto out;
    uint32_t self = used;
    if (!push(&c, parent)) goto out;
    if (ts_tree_cursor_goto_first_child(&c)) { parent = self; continue; }
    while (!ts_tree_cursor_goto_next_sibling(&c)) {
      if (!ts_tree_cursor_goto_parent(&c)) { result = (int32_t)used; goto out; }
      parent = table[parent].parent;
    }
  }
out:
  ts_tree_cursor_delete(&c);
  return result;
}

/* Parses length bytes at src. Returns the number of nodes, -1 when memory or
 * time ran out, -2 for a language that is not here. */
EXPORT("f_parse") int32_t f_parse(uint32_t id, const char *src, uint32_t length) {
  const TSLanguage *lang = language(id);
  TSParser *parser = lang ? ts_parser_new() : NULL;
  if (!parser) return lang ? -1 : -2;
  if (!ts_parser_set_language(parser, lang)) { ts_parser_delete(parser); return -2; }
  Text text = {src, length};
  uint32_t ticks = 0;
  TSInput input = {&text, read_text, TSInputEncodingUTF8, NULL};
  TSParseOptions options = {&ticks, progress};
  TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
  int32_t n = tree ? flatten(tree) : -1;
  if (tree) ts_tree_delete(tree);
  ts_parser_delete(parser);
  return n;
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
