#include "common/call.h"

#include "common/error.h"
#include "common/memory.h"

void gg_call_begin(gg_call *call, const gpugeo_run *run, gpugeo_report *report,
                   gpugeo_error *error) {
  gg_clock_start(&call->own_clock, run);
  call->run = run;
  call->clock = &call->own_clock;
  call->report = report ? report : &call->unread;
  call->error = error;
  call->status = GPUGEO_OK;
}

gpugeo_status gg_call_end(gg_call *call) {
  call->report->seconds = gg_now() - call->clock->start;
  return call->status;
}

void gg_call_part_begin(gg_call *whole, double done, double share, gg_call_part *part) {
  gg_clock_part_begin(whole->clock, done, share, &part->clock);
  part->whole = whole;
  part->call = *GG_CALL_OF(&part->clock.clock, whole->report, whole->error);
  part->call.run = whole->run;
  part->call.status = whole->status;
}

gpugeo_status gg_call_part_end(gg_call_part *part) {
  gg_clock_part_end(&part->clock);
  return part->whole->status = part->call.status;
}

bool gg_call_poll(gg_call *call, double fraction) {
  if (!call->status && gg_clock_poll(call->clock, fraction))
    call->status = gg_fail_interrupt(call->error);
  return call->status != GPUGEO_OK;
}

gpugeo_status gg_call_loop(gg_call *call, gg_loop loop) {
  if (call->status) return call->status;
  loop.clock = call->clock;
  return gg_call_require(call, gg_parallel_for(&loop));
}

void *gg_call_allocate(gg_call *call, int64_t count, int64_t size) {
  if (call->status) return NULL;
  void *memory = gg_allocate(count, size);
  if (!memory) call->status = gg_fail_memory(call->error, count * size);
  return memory;
}
