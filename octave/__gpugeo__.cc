/*
 * The one compiled function of the Octave package, so that a process holds the core, and with it a
 * context on the device, once. It is an oct-file: a MEX function's result is copied once more by
 * most builds of Octave, and a distance matrix is large.
 */
#include <octave/interpreter.h>
#include <octave/oct.h>

#include "family.h"
#include "run.h"

#include "common/settings.h"

/* The arguments after the command: options, x, and perhaps y, which messages may call otherwise. */
static gpugeo_octave::inputs read_inputs(const octave_value_list &args, bool interactive,
                                         const char *y_name = "y") {
  std::unique_ptr<gpugeo_octave::matrix> y;
  gpugeo_octave::matrix x(args(2), "x");
  if (args.length() > 3) y.reset(new gpugeo_octave::matrix(args(3), y_name));
  return {args(1).scalar_map_value(), std::move(x), std::move(y), interactive};
}

/* Throws when an option that all families share has a value that is not allowed. */
static void check_options(const octave_scalar_map &options) {
  gpugeo_run run;
  gpugeo_run_init(&run);
  gpugeo_octave::read_run(options, false, &run);
  gpugeo_octave::wants_progress(options, false);
}

DEFMETHOD_DLD(__gpugeo__, interp, args, , "-*- texinfo -*-\n\
@deftypefn  {} {[@var{result}, @var{info}] =} __gpugeo__ (\"dist\", @var{options}, @var{x}, @var{y})\n\
@deftypefnx {} {[@var{result}, @var{info}] =} __gpugeo__ (\"cor\", @var{options}, @var{x}, @var{y})\n\
@deftypefnx {} {[@var{idx}, @var{d}, @var{info}] =} __gpugeo__ (\"knn\", @var{options}, @var{x}, @var{y})\n\
@deftypefnx {} {[@var{idx}, @var{d}, @var{info}] =} __gpugeo__ (\"radius\", @var{options}, @var{x}, @var{y})\n\
@deftypefnx {} {[@var{d}, @var{i}, @var{j}, @var{ties}, @var{info}] =} __gpugeo__ (\"closest\", @var{options}, @var{x}, @var{y})\n\
@deftypefnx {} {[@var{result}, @var{info}] =} __gpugeo__ (\"collide\", @var{options}, @var{x}, @var{y})\n\
@deftypefnx {} {@var{promise} =} __gpugeo__ (\"launch\", @var{options}, @var{x}, @var{y})\n\
@deftypefnx {} {[@var{result}, @var{info}] =} __gpugeo__ (\"fetch\", @var{options}, @var{promise})\n\
@deftypefnx {} {[@var{s}, @var{info}] =} __gpugeo__ (\"dgp\", @var{options}, @var{d})\n\
@deftypefnx {} {[@var{r}, @var{info}] =} __gpugeo__ (\"dgp_rows\", @var{options}, @var{d})\n\
@deftypefnx {} {[@var{s}, @var{info}] =} __gpugeo__ (\"dgp_graph\", @var{options}, @var{edges})\n\
@deftypefnx {} {@var{d} =} __gpugeo__ (\"dgp_instance\", @var{n}, @var{seed})\n\
@deftypefnx {} {[@var{xy}, @var{info}] =} __gpugeo__ (\"layout\", @var{options}, @var{graph})\n\
@deftypefnx {} {[@var{q}, @var{info}] =} __gpugeo__ (\"layout_quality\", @var{options}, @var{graph}, @var{xy})\n\
@deftypefnx {} {@var{graph} =} __gpugeo__ (\"edges\", @var{options}, @var{file}, @var{first})\n\
@deftypefnx {} {@var{size} =} __gpugeo__ (\"source_size\", @var{x})\n\
@deftypefnx {} {[@var{side}, @var{table}] =} __gpugeo__ (\"tiles_plan\", @var{options}, @var{sizes})\n\
@deftypefnx {} {@var{shared} =} __gpugeo__ (\"dist_share\", @var{options}, @var{x}, @var{y})\n\
@deftypefnx {} {[@var{d}, @var{info}] =} __gpugeo__ (\"dist_tile\", @var{options}, @var{x}, @var{y}, @var{plan}, @var{shared}, @var{tile})\n\
@deftypefnx {} {@var{info} =} __gpugeo__ (\"dist_file\", @var{options}, @var{x})\n\
@deftypefnx {} {@var{about} =} __gpugeo__ (\"dist_file_info\", @var{file}, @var{name})\n\
@deftypefnx {} {@var{d} =} __gpugeo__ (\"dist_file_read\", @var{file}, @var{name}, @var{rows}, @var{columns})\n\
@deftypefnx {} {@var{name} =} __gpugeo__ (\"metric\", @var{name})\n\
@deftypefnx {} {} __gpugeo__ (\"check\", @var{options})\n\
@deftypefnx {} {@var{text} =} __gpugeo__ (\"show\", @var{value})\n\
@deftypefnx {} {@var{warning} =} __gpugeo__ (\"unknown_setting\")\n\
@deftypefnx {} {@var{info} =} __gpugeo__ (\"info\")\n\
The compiled part of gpugeo, which its user functions call.  @var{y} may be left out.\n\
@end deftypefn") {
  /* The device's driver needs the code that called it: it stays until Octave ends, and then the
     system takes back what the core keeps on the device between calls. */
  interp.mlock();

  const octave_idx_type given = args.length();
  const std::string command = given > 0 && args(0).is_string() ? args(0).string_value() : "";
  if (command == "dist" && (given == 3 || given == 4))
    return gpugeo_octave::dist(read_inputs(args, interp.interactive()));
  if (command == "cor" && (given == 3 || given == 4))
    return gpugeo_octave::cor(read_inputs(args, interp.interactive()));
  if (command == "knn" && (given == 3 || given == 4))
    return gpugeo_octave::knn(read_inputs(args, interp.interactive(), "query"));
  if (command == "radius" && (given == 3 || given == 4))
    return gpugeo_octave::radius(read_inputs(args, interp.interactive(), "query"));
  if (command == "closest" && (given == 3 || given == 4))
    return gpugeo_octave::closest(read_inputs(args, interp.interactive()));
  if (command == "collide" && (given == 3 || given == 4))
    return gpugeo_octave::collide(read_inputs(args, interp.interactive()));
  if (command == "launch" && (given == 3 || given == 4))
    return ovl(gpugeo_octave::launch(read_inputs(args, interp.interactive())));
  if (command == "fetch" && given == 3)
    return gpugeo_octave::fetch(args(2), args(1).scalar_map_value(), interp.interactive());
  if (command == "dgp" && given == 3)
    return gpugeo_octave::dgp(args(1).scalar_map_value(), args(2), interp.interactive());
  if (command == "dgp_rows" && given == 3)
    return gpugeo_octave::dgp_rows(args(1).scalar_map_value(), args(2), interp.interactive());
  if (command == "dgp_graph" && given == 3)
    return gpugeo_octave::dgp_graph(args(1).scalar_map_value(), args(2), interp.interactive());
  if (command == "dgp_instance" && given == 3)
    return ovl(gpugeo_octave::dgp_instance(args(1), args(2)));
  if (command == "layout" && given == 3)
    return gpugeo_octave::layout(args(1).scalar_map_value(), args(2).scalar_map_value(),
                                 interp.interactive());
  if (command == "layout_quality" && given == 4)
    return gpugeo_octave::layout_quality(args(1).scalar_map_value(), args(2).scalar_map_value(),
                                         args(3), interp.interactive());
  if (command == "edges" && given == 4)
    return ovl(
        gpugeo_octave::edges(args(1).scalar_map_value(), args(2), args(3), interp.interactive()));
  if (command == "source_size" && given == 2) return ovl(gpugeo_octave::source_size(args(1)));
  if (command == "tiles_plan" && given == 3)
    return gpugeo_octave::tiles_plan(args(1).scalar_map_value(), args(2));
  if (command == "dist_share" && given == 4)
    return ovl(gpugeo_octave::dist_share(args(1).scalar_map_value(), args(2), args(3)));
  if (command == "dist_tile" && given == 7)
    return gpugeo_octave::dist_tile(args(1).scalar_map_value(), args(2), args(3), args(4), args(5),
                                    args(6), interp.interactive());
  if (command == "dist_file" && given == 3)
    return ovl(gpugeo_octave::dist_file(args(1).scalar_map_value(), args(2), interp.interactive()));
  if (command == "dist_file_info" && given == 3)
    return ovl(gpugeo_octave::dist_file_info(args(1), args(2)));
  if (command == "dist_file_read" && given == 5)
    return ovl(gpugeo_octave::dist_file_read(args(1), args(2), args(3), args(4)));
  if (command == "metric" && given == 2) return ovl(gpugeo_octave::metric_name(args(1)));
  if (command == "check" && given == 2) {
    check_options(args(1).scalar_map_value());
    return ovl();
  }
  if (command == "show" && given == 2) {
    const gg_given value = gpugeo_octave::given(args(1));
    return ovl(gg_show(&value).text);
  }
  if (command == "unknown_setting" && given == 1) {
    gg_setting_text warning;
    return ovl(gg_unknown_setting(&warning) ? warning.text : "");
  }
  if (command == "info" && given == 1) return ovl(gpugeo_octave::info());
  print_usage();
  return ovl();
}
