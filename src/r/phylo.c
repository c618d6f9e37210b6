#include "phylo.h"

void gg_r_read_phylo(gg_r_call *call, SEXP list, gpugeo_tree *tree) {
  SEXP edge = gg_r_element(list, "edge"), length = gg_r_element(list, "edge.length");
  SEXP root = gg_r_element(list, "root.edge");
  const int64_t edges = XLENGTH(edge) / 2;
  int32_t *from = (int32_t *)R_alloc((size_t)(2 * edges) + 1, sizeof *from);
  for (int64_t k = 0; k < 2 * edges; ++k)
    from[k] = INTEGER_RO(edge)[k] == NA_INTEGER ? -1 : INTEGER_RO(edge)[k] - 1;
  *tree = (gpugeo_tree){.tips = XLENGTH(gg_r_element(list, "tip.label")),
                        .nodes = Rf_asInteger(gg_r_element(list, "Nnode")),
                        .edges = edges,
                        .edge = from,
                        .tip_label = gg_r_texts(gg_r_element(list, "tip.label")),
                        .node_label = gg_r_texts(gg_r_element(list, "node.label")),
                        .root_length = root == R_NilValue ? R_NaN : Rf_asReal(root)};
  int64_t lengths = 0;
  gg_r_doubles(call, length, "edge.length", &tree->length, &lengths);
}
