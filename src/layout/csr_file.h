/* Binary files of edges in compressed sparse rows. */
#ifndef GG_LAYOUT_CSR_FILE_H
#define GG_LAYOUT_CSR_FILE_H

#include <stdbool.h>

#include "common/call.h"
#include "common/new_file.h"
#include "gpugeo.h"

/* Writes the edges of a checked graph, each in the row of its first vertex; the edges of a row stay
   in their order. */
gpugeo_status gg_csr_file_write(const gpugeo_graph *graph, gg_new_file *file, gg_call *call);

/* Sets *found to whether the regular file at `path` begins as a file of gg_csr_file_write() does,
   and reads it in that case. The arguments are those of gpugeo_edge_file_read(). The edges are
   allocated; the caller frees them, also after a failure. */
gpugeo_status gg_csr_file_read(const char *path, int64_t first, gpugeo_edge_file *file, bool *found,
                               gg_call *call);

#endif
