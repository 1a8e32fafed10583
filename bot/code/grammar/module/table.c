/* The syntax tree as one flat table in preorder. Part of runtime.c. */
enum { NAMED = 1, ERROR = 2, MISSING = 4, EXTRA = 8, HAS_ERROR = 16 };

/* One node. parent and next are indices into the table (the root is its own
 * parent; the subtree of node i is [i, next)); field is the number of the
 * node's field in its parent, 0 for none. */
typedef struct {
  uint16_t symbol, field, flags, unused;
  uint32_t start, end, parent, next;
} Record;

/* Frame is a node whose children are being read. */
typedef struct {
  const Subtree *children;
  const TSSymbol *alias;
  const TSFieldMapEntry *map, *map_end;
  uint32_t child, count, structural, position;
  uint32_t owner; /* record of the nearest visible node, itself or above */
  uint16_t field; /* what a hidden node hands down */
  bool hidden;
} Frame;

static Record *table;
static uint32_t used, room;
static Frame *frames;
static uint32_t depth, frame_room;

static bool emit(const TSLanguage *lang, Subtree s, TSSymbol alias, uint32_t start, uint32_t parent, uint16_t field) {
  if (used == room) {
    uint32_t more = room ? room * 2 : 8192;
    Record *grown = realloc(table, more * sizeof(Record));
    if (!grown) return false;
    table = grown;
    room = more;
  }
  TSSymbol symbol = ts_language_public_symbol(lang, alias ? alias : ts_subtree_symbol(s));
  bool named = alias ? ts_language_symbol_metadata(lang, alias).named : ts_subtree_named(s);
  Record *r = &table[used];
  r->symbol = symbol;
  r->field = field;
  r->unused = 0;
  r->start = start;
  r->end = start + ts_subtree_size(s).bytes;
  r->parent = parent;
  r->next = used + 1;
  r->flags = (named ? NAMED : 0) | (symbol == ts_builtin_sym_error ? ERROR : 0) | (ts_subtree_missing(s) ? MISSING : 0) |
             (ts_subtree_extra(s) ? EXTRA : 0) | (ts_subtree_error_cost(s) > 0 ? HAS_ERROR : 0);
  used++;
  return true;
}

static bool enter(const TSLanguage *lang, Subtree s, uint32_t start, uint32_t owner, bool hidden, uint16_t field) {
  if (depth == frame_room) {
    uint32_t more = frame_room ? frame_room * 2 : 256;
    Frame *grown = realloc(frames, more * sizeof(Frame));
    if (!grown) return false;
    frames = grown;
    frame_room = more;
  }
  Frame *f = &frames[depth++];
  spend(8 * s.ptr->child_count);
  uint16_t production = s.ptr->production_id;
  f->children = ts_subtree_children(s);
  f->alias = ts_language_alias_sequence(lang, production);
  ts_language_field_map(lang, production, &f->map, &f->map_end);
  f->child = f->structural = 0;
  f->count = s.ptr->child_count;
  f->position = start;
  f->owner = owner;
  f->hidden = hidden;
  f->field = field;
  return true;
}

/* Preorder walk of the whole tree into the table; -1 when memory ran out. Hidden nodes are stepped into but not listed, and hand their field
 * down, as tree-sitter's cursor has it. */
static int32_t flatten(const TSLanguage *lang, Subtree root, uint32_t start) {
  used = depth = 0;
  if (!emit(lang, root, 0, start, 0, 0)) return -1;
  if (ts_subtree_child_count(root) > 0 && !enter(lang, root, start, 0, false, 0)) return -1;
  while (depth > 0) {
    Frame *f = &frames[depth - 1];
    if (f->child == f->count) {
      if (!f->hidden) table[f->owner].next = used;
      depth--;
      continue;
    }
    Subtree s = f->children[f->child];
    uint32_t from = f->position + (f->child > 0 ? ts_subtree_padding(s).bytes : 0);
    f->child++;
    f->position = from + ts_subtree_size(s).bytes;
    TSSymbol alias = 0;
    uint16_t field = 0;
    if (!ts_subtree_extra(s)) {
      uint32_t i = f->structural++;
      if (f->alias) alias = f->alias[i];
      if (f->hidden) field = f->field;
      for (const TSFieldMapEntry *m = f->map; m < f->map_end; m++) {
        if (!m->inherited && m->child_index == i) { field = m->field_id; break; }
      }
    }
    bool children = ts_subtree_child_count(s) > 0;
    if (ts_subtree_visible(s) || alias) {
      uint32_t self = used;
      if (!emit(lang, s, alias, from, f->owner, field)) return -1;
      if (children && !enter(lang, s, from, self, false, 0)) return -1;
    } else if (children && ts_subtree_visible_child_count(s) > 0) {
      if (!enter(lang, s, from, f->owner, true, field)) return -1;
    }
  }
  return (int32_t)used;
}
