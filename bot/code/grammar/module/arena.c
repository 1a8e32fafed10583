/* The allocator that arena.h declares. Part of runtime.c. */
enum { STEP = 16, SMALL = 64, CLASSES = SMALL + 28, CHUNK = 1 << 20 };

typedef struct Block { uint32_t class; uint32_t room; struct Block *next; } Block; /* next only while free */
typedef struct Chunk { struct Chunk *next; size_t size; } Chunk;

static Block *spare[CLASSES];
static Chunk *chunks, *filling;
static char *at, *end;

enum { HEAD = 8, LEAD = (sizeof(Chunk) + 15) & ~15 };

static void *carve(size_t size) {
  while ((size_t)(end - at) < size) {
    Chunk *next = filling ? filling->next : chunks;
    if (!next) {
      size_t room = size + LEAD > CHUNK ? size + LEAD : CHUNK;
      next = malloc(room);
      if (!next) abort();
      next->size = room;
      next->next = NULL;
      if (filling) filling->next = next; else chunks = next;
    }
    filling = next;
    at = (char *)next + LEAD;
    end = (char *)next + next->size;
  }
  void *p = at;
  at += size;
  return p;
}

static inline uint32_t class_of(size_t size, size_t *room) {
  size_t n = (size + HEAD + STEP - 1) / STEP;
  if (n < SMALL) { *room = n * STEP; return n; }
  uint32_t bits = 32 - __builtin_clz((uint32_t)(size + HEAD - 1));
  *room = (size_t)1 << bits;
  return SMALL + bits - 10;
}

void *arena_malloc(size_t size) {
  if (size > (1u << 30)) abort();
  size_t room;
  uint32_t class = class_of(size, &room);
  Block *b = spare[class];
  if (b) spare[class] = b->next;
  else {
    b = carve(room);
    b->class = class;
    b->room = room - HEAD;
  }
  return (char *)b + HEAD;
}

void arena_free(void *p) {
  if (!p) return;
  Block *b = (Block *)((char *)p - HEAD);
  b->next = spare[b->class];
  spare[b->class] = b;
}

void *arena_calloc(size_t count, size_t size) {
  void *p = arena_malloc(count * size);
  return memset(p, 0, count * size);
}

void *arena_realloc(void *p, size_t size) {
  if (!p) return arena_malloc(size);
  Block *b = (Block *)((char *)p - HEAD);
  if (b->room >= size) return p;
  void *q = arena_malloc(size);
  memcpy(q, p, b->room);
  arena_free(p);
  return q;
}

void arena_reset(void) {
  memset(spare, 0, sizeof spare);
  filling = NULL;
  at = end = NULL;
}
