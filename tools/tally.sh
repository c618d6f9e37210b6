# To be sourced by shell scripts that run several test harnesses: runs each and adds up what they count.
# A harness ends with a line "N passed, N failed" or "N passed, N failed, N skipped".

passed=0 failed=0 skipped=0
tally_folder=$(mktemp -d) # what harnesses print, and what is to be repeated at the end
tally_names=()            # started beside each other, not yet counted
tally_at_once=${tally_at_once:-$(nproc)}

# tally NAME COMMAND...: runs the command, shows its output, and adds its counts. A command that fails
# without having counted a failure, or that counts nothing at all, is one failure.
tally() {
  local begun=$SECONDS
  tally_name=$1
  shift
  printf '\n== %s\n' "$tally_name"
  { "$@" </dev/null 2>&1; echo $? >"$tally_folder/status"; } | tee "$tally_folder/log"
  tally_count "$tally_folder/log" "$(cat "$tally_folder/status")" $((SECONDS - begun))
}

# tally_count LOG STATUS SECONDS: adds up what $tally_name counted.
tally_count() {
  local log=$1 status=$2 seconds=$3 before=$failed line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1)
  # shellcheck disable=SC2086 # the line's words
  set -- $line
  passed=$((passed + ${1:-0}))
  failed=$((failed + ${3:-0}))
  skipped=$((skipped + ${5:-0}))
  if [ "$((${1:-0} + ${3:-0} + ${5:-0}))" = 0 ]; then
    tally_complain "no tests were run (exit status $status)" "$log"
  elif [ "$status" != 0 ] && [ "${3:-0}" = 0 ]; then
    tally_complain "ended with exit status $status" "$log"
  fi
  [ "$failed" = "$before" ] || tally_repeat "$log" >>"$tally_folder/failures"
  printf '%6d s  %s, %s\n' "$seconds" "$tally_name" "${line:-no tests}" >>"$tally_folder/times"
}

# tally_complain WHAT LOG: counts one failure of the harness itself.
tally_complain() {
  echo "$tally_name: $1" | tee -a "$2"
  failed=$((failed + 1))
}

# tally_repeat LOG: the lines of a harness that say what failed; the last ones if none does. A harness that
# repeats them itself, under "== What failed", has the last word.
tally_repeat() {
  local lines
  if grep -q '^== What failed$' "$1"; then
    lines=$(sed '1,/^== What failed$/d; /^[0-9]* passed, /d' "$1")
  else
    lines=$(awk '/^══ Failed/ { on = 1 } /^══ DONE/ { on = 0 }
      on || /^tests\/c\/[^ ]*:[0-9]+: / || /FAILED|^!!!!!|^(.*: )?[Ee]rror|Sanitizer|runtime error/ ||
        /: no tests were run|: ended with exit status|\.\.\. .*(NOTE|WARNING|ERROR)$/' "$1")
  fi
  [ -n "$lines" ] || lines=$(tail -n 20 "$1")
  printf '\n-- %s\n%s\n' "$tally_name" "$(printf '%s\n' "$lines" | tail -n 60)"
}

# tally_step NAME COMMAND...: a command that is itself one test: it passes when it exits with 0.
tally_step() {
  local name=$1
  shift
  tally "$name" tally_one "$@"
}
tally_one() {
  if "$@"; then echo "1 passed, 0 failed"; else echo "0 passed, 1 failed"; fi
}

# tally_start NAME COMMAND...: starts a harness beside others, as soon as fewer than $tally_at_once run.
tally_start() {
  local log=$tally_folder/${#tally_names[@]} begun
  while [ "$(jobs -rp | wc -l)" -ge "$tally_at_once" ]; do wait -n; done
  tally_names+=("$1")
  shift
  {
    begun=$SECONDS
    "$@" </dev/null >"$log" 2>&1
    echo $? >"$log.status"
    echo $((SECONDS - begun)) >"$log.seconds"
  } &
}

# tally_collect: waits for all that was started, shows what each printed, and adds its counts.
tally_collect() {
  local i log seconds
  wait
  for i in "${!tally_names[@]}"; do
    log=$tally_folder/$i tally_name=${tally_names[i]}
    seconds=$(cat "$log.seconds")
    printf '\n== %s\n' "$tally_name"
    cat "$log"
    echo "took $seconds s"
    tally_count "$log" "$(cat "$log.status")" "$seconds"
  done
  tally_names=()
}

# tally_table: how long each took, the longest first.
tally_table() {
  printf '\n== Times\n'
  sort -rn "$tally_folder/times"
}

# What failed once more, and the closing line; succeeds when nothing failed.
tally_end() {
  [ ! -s "$tally_folder/failures" ] || { printf '\n== What failed\n'; cat "$tally_folder/failures"; }
  rm -rf "$tally_folder"
  printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" = 0 ]
}
