# To be sourced by shell scripts that run several test harnesses: runs each and adds up what they count.
# A harness ends with a line "N passed, N failed" or "N passed, N failed, N skipped".

passed=0 failed=0 skipped=0
summary_folder=$(mktemp -d) # what harnesses print, and what is to be repeated at the end
summary_names=()            # started, not yet counted
summary_at_once=${summary_at_once:-$(nproc)}

# summary_run NAME COMMAND...: runs the command, shows its output, and adds its counts. A command that fails
# without having counted a failure, or that counts nothing at all, is one failure.
summary_run() {
  local begun=$SECONDS
  summary_name=$1
  shift
  printf '\n== %s\n' "$summary_name"
  { "$@" </dev/null 2>&1; echo $? >"$summary_folder/log.status"; times >"$summary_folder/log.cpu"; } |
    tee "$summary_folder/log"
  summary_count "$summary_folder/log" $((SECONDS - begun))
}

# summary_count LOG SECONDS: adds up what $summary_name counted. LOG.status has its exit status, LOG.cpu what
# `times` printed after it.
summary_count() {
  local log=$1 seconds=$2 before=$failed line status cpu
  status=$(cat "$log.status")
  cpu=$(sed 's/[ms]/ /g' "$log.cpu" | awk 'NR == 2 { printf "%.0f", 60 * ($1 + $3) + $2 + $4 }')
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1)
  # shellcheck disable=SC2086 # the line's words
  set -- $line
  passed=$((passed + ${1:-0}))
  failed=$((failed + ${3:-0}))
  skipped=$((skipped + ${5:-0}))
  if [ "$((${1:-0} + ${3:-0} + ${5:-0}))" = 0 ]; then
    summary_complain "no tests were run (exit status $status)" "$log"
  elif [ "$status" != 0 ] && [ "${3:-0}" = 0 ]; then
    summary_complain "ended with exit status $status" "$log"
  fi
  [ "$failed" = "$before" ] || summary_repeat "$log" >>"$summary_folder/failures"
  printf '%6d s, %6d s of processors  %s, %s\n' "$seconds" "$cpu" "$summary_name" "${line:-no tests}" \
    >>"$summary_folder/times"
}

# summary_complain WHAT LOG: counts one failure of the harness itself.
summary_complain() {
  echo "$summary_name: $1" | tee -a "$2"
  failed=$((failed + 1))
}

# summary_repeat LOG: the lines of a harness that say what failed; the last ones if none does. A harness that
# repeats them itself, under "== What failed", has the last word.
summary_repeat() {
  local lines
  if grep -q '^== What failed$' "$1"; then
    lines=$(sed '1,/^== What failed$/d; /^[0-9]* passed, /d' "$1")
  else
    lines=$(awk '/^══ Failed/ { on = 1 } /^══ DONE/ { on = 0 }
      on || /^tests\/c\/[^ ]*:[0-9]+: / || /FAILED|^!!!!!|^(.*: )?[Ee]rror|Sanitizer|runtime error/ ||
        /: no tests were run|: ended with exit status|\.\.\. .*(NOTE|WARNING|ERROR)$/' "$1")
  fi
  [ -n "$lines" ] || lines=$(tail -n 20 "$1")
  printf '\n-- %s\n%s\n' "$summary_name" "$(printf '%s\n' "$lines" | tail -n 60)"
}

# summary_step NAME COMMAND...: a command that is itself one test: it passes when it exits with 0.
summary_step() {
  local name=$1
  shift
  summary_run "$name" summary_one "$@"
}
summary_one() {
  if "$@"; then echo "1 passed, 0 failed"; else echo "0 passed, 1 failed"; fi
}

# summary_start NAME COMMAND...: starts a harness in the background as soon as fewer than $summary_at_once run.
summary_start() {
  local log=$summary_folder/${#summary_names[@]} begun
  while [ "$(jobs -rp | wc -l)" -ge "$summary_at_once" ]; do wait -n; done
  summary_names+=("$1")
  shift
  {
    begun=$SECONDS
    "$@" </dev/null >"$log" 2>&1
    echo $? >"$log.status"
    times >"$log.cpu"
    echo $((SECONDS - begun)) >"$log.seconds"
  } &
}

# summary_collect: waits for all that was started, shows what each printed, and adds its counts.
summary_collect() {
  local i log seconds
  wait
  for i in "${!summary_names[@]}"; do
    log=$summary_folder/$i summary_name=${summary_names[i]}
    seconds=$(cat "$log.seconds")
    printf '\n== %s\n' "$summary_name"
    cat "$log"
    echo "took $seconds s"
    summary_count "$log" "$seconds"
  done
  summary_names=()
}

# summary_table N: how long each took, the N longest, in order.
summary_table() {
  printf '\n== Times\n'
  sort -rn "$summary_folder/times" | head -n "$1"
}

# What failed once more, and the closing line; succeeds when nothing failed.
summary_end() {
  [ ! -s "$summary_folder/failures" ] || { printf '\n== What failed\n'; cat "$summary_folder/failures"; }
  rm -rf "$summary_folder"
  printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" = 0 ]
}
