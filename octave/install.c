/* Installation of the CUDA library. */
#include "backends/cuda_install.h"
#include "families.h"
#include "result.h"
#include "value.h"

/* Reads the inputs from and downloaded, and the options sha256 and remove. */
static void read_source(gg_mex_call *call, gg_cuda_source *source, gg_given *given) {
  const mxArray *sum = gg_mex_field(call->options, "sha256");
  *given = gg_mex_given(sum);
  *source = (gg_cuda_source){.sha256_given = given};
  if (!mxIsEmpty(call->inputs[0])) source->from = gg_mex_text(call, call->inputs[0], "from");
  if (!mxIsEmpty(call->inputs[1])) source->downloaded = gg_mex_text(call, call->inputs[1], "from");
  if (sum && mxIsChar(sum))
    source->sha256 = gg_mex_text(call, sum, "sha256");
  else if (sum && !mxIsEmpty(sum)) /* what is no text is no sum */
    source->sha256 = "";
  int32_t remove = 0;
  gg_mex_flag(call, "remove", &remove);
  source->remove = remove;
}

static void set_installed(mxArray *structure, const gg_cuda_installed *installed) {
  gg_mex_set_text(structure, "file", installed->file);
  gg_mex_set_text(structure, "sha256", installed->sha256);
  gg_mex_set_text(structure, "version", installed->about.version);
  gg_mex_set_text(structure, "architectures", installed->about.architectures);
  gg_mex_set_text(structure, "device", installed->device);
  gg_mex_set_text(structure, "reason", installed->reason);
}

void gg_mex_cuda_install(gg_mex_call *call) {
  gg_cuda_source source;
  gg_cuda_action action = GG_CUDA_DOWNLOAD;
  gg_given given;
  bool removed = false;
  read_source(call, &source, &given);
  gg_cuda_installed *installed = gg_mex_allocate(call, 1, sizeof *installed);
  if (call->status || !gg_mex_check(call, gg_cuda_check_source(&source, &action, &call->error)))
    return;
  mxArray *done = gg_mex_structure_result(call, 0);
  installed->text[0] = 0;
  if (action == GG_CUDA_REMOVE)
    gg_mex_check(call, gg_cuda_remove(installed, &removed, &call->error));
  else if (action == GG_CUDA_INSTALL)
    gg_mex_check(call, gg_cuda_install(&source, installed, &call->error));
  if (call->status) return;
  gg_mex_text_result(call, 1, installed->text);
  if (action == GG_CUDA_REMOVE)
    gg_mex_set(done, "removed", mxCreateLogicalScalar(removed));
  else if (action == GG_CUDA_INSTALL)
    set_installed(done, installed);
}

void gg_mex_cuda_download_failed(gg_mex_call *call) {
  const gg_cuda_source source = {.from = gg_mex_text(call, call->inputs[0], "from")};
  const char *why = gg_mex_text(call, call->inputs[1], "why");
  if (!call->status) gg_mex_check(call, gg_cuda_fail_download(&source, why, &call->error));
}
