/* tree-sitter as it comes, for the comparison of speed: parses the files that
 * the input names, one "grammar path" a line, and prints bytes and seconds of
 * CPU. With "walk" each tree is also read node by node into a table, which is
 * what fettle's module does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_python(void), *tree_sitter_javascript(void), *tree_sitter_typescript(void),
    *tree_sitter_tsx(void), *tree_sitter_go(void);

typedef struct { uint16_t symbol, field, flags; uint32_t start, end, depth; } Row;
static Row *rows;
static size_t room;

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static size_t walk(TSTree *tree) {
  TSTreeCursor c = ts_tree_cursor_new(ts_tree_root_node(tree));
  size_t n = 0;
  uint32_t depth = 0;
  for (;;) {
    if (n == room) rows = realloc(rows, (room = room ? room * 2 : 4096) * sizeof(Row));
    TSNode node = ts_tree_cursor_current_node(&c);
    rows[n++] = (Row){ts_node_symbol(node), ts_tree_cursor_current_field_id(&c),
      ts_node_is_named(node) | ts_node_is_error(node) << 1 | ts_node_is_missing(node) << 2 | ts_node_is_extra(node) << 3 | ts_node_has_error(node) << 4,
      ts_node_start_byte(node), ts_node_end_byte(node), depth};
    if (ts_tree_cursor_goto_first_child(&c)) { depth++; continue; }
    while (!ts_tree_cursor_goto_next_sibling(&c)) {
      if (!ts_tree_cursor_goto_parent(&c)) { ts_tree_cursor_delete(&c); return n; }
      depth--;
    }
  }
}

int main(int argc, char **argv) {
  int walking = argc > 1 && !strcmp(argv[1], "walk");
  char line[8192], name[32], path[8000];
  double bytes = 0, seconds = 0;
  size_t nodes = 0;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%31s %7999[^\n]", name, path) != 2) continue;
    const TSLanguage *lang = !strcmp(name, "python") ? tree_sitter_python() : !strcmp(name, "go") ? tree_sitter_go()
      : !strcmp(name, "typescript") ? tree_sitter_typescript() : !strcmp(name, "tsx") ? tree_sitter_tsx() : tree_sitter_javascript();
    FILE *f = fopen(path, "rb");
    if (!f) continue;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = malloc(size + 1);
    size = fread(text, 1, size, f);
    fclose(f);
    double begin = cpu();
    TSParser *parser = ts_parser_new();
    ts_parser_set_language(parser, lang);
    TSTree *tree = ts_parser_parse_string(parser, NULL, text, size);
    if (walking) nodes += walk(tree);
    ts_tree_delete(tree);
    ts_parser_delete(parser);
    seconds += cpu() - begin;
    bytes += size;
    free(text);
  }
  printf("{\"bytes\": %.0f, \"cpu\": %.6f, \"nodes\": %zu}\n", bytes, seconds, nodes);
  return 0;
}
