/* Memory of the parser: blocks by size class from chunks that are kept from
 * one parse to the next. A parse whose tree nobody keeps is freed by winding
 * the chunks back, without walking the tree. */
#ifndef FETTLE_ARENA_H
#define FETTLE_ARENA_H
#include <stddef.h>

void *arena_malloc(size_t size);
void *arena_calloc(size_t count, size_t size);
void *arena_realloc(void *block, size_t size);
void arena_free(void *block);
void arena_reset(void);

#define ts_malloc arena_malloc
#define ts_calloc arena_calloc
#define ts_realloc arena_realloc
#define ts_free arena_free
#endif
