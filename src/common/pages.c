#include "common/pages.h"

#include <string.h>

#include "common/platform.h"

void gg_pages_move(void *to, void *from, int64_t bytes) {
  for (int64_t done = 0; done < bytes; done += GG_PAGES_STEP) {
    const int64_t part = bytes - done < GG_PAGES_STEP ? bytes - done : GG_PAGES_STEP;
    gg_pages_populate((char *)to + done, part);
    memcpy((char *)to + done, (char *)from + done, (size_t)part);
    if (part == GG_PAGES_STEP) gg_pages_discard((char *)from + done, part);
  }
}
