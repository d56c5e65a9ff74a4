#include "loop/scratch.h"

#include <stdlib.h>

#include "kernel/pool.h"

#define LINE 64
#define LARGEST ((i64)1 << 40)

static void free_buffer(rt_room *room) {
    if (room->pooled)
        pool_give(room->first);
    else
        free(room->first);
    *room = (rt_room){NULL, 0, 0};
}

/* With some to spare: what grows from iteration to iteration is not moved in each. 0: it is too much. */
static i64 roomy(i64 bytes) { return bytes < 0 || bytes > LARGEST ? 0 : (bytes + bytes / 2 + 2 * LINE - 1) / LINE * LINE; }

int scratch_make_apart(rt_room *rooms, i64 k, i64 bytes) {
    void *made;
    i64 size = roomy(bytes);
    if (size == 0 || posix_memalign(&made, LINE, (size_t)size) != 0)
        return 0;
    free_buffer(&rooms[k]);
    rooms[k] = (rt_room){made, size, 0};
    return 1;
}

int scratch_make(rt_room *rooms, i64 k, i64 bytes) {
    i64 size = roomy(bytes);
    void *made = size > 0 ? pool_take((size_t)size) : NULL;
    if (made == NULL)
        return scratch_make_apart(rooms, k, bytes);
    free_buffer(&rooms[k]);
    rooms[k] = (rt_room){made, size, 1};
    return 1;
}

void scratch_empty(rt_room *rooms, int count, i64 above) {
    for (int i = 0; rooms != NULL && i < count; i++)
        if (rooms[i].size > above)
            free_buffer(&rooms[i]);
}
