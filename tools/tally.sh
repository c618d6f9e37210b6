# To be sourced by shell scripts that run several test harnesses: runs each and adds up what they count.
# A harness ends with a line "N passed, N failed" or "N passed, N failed, N skipped".

passed=0 failed=0 skipped=0

# tally NAME COMMAND...: runs the command, shows its output, and adds its counts. A command that fails
# without having counted a failure, or that counts nothing at all, is one failure.
tally() {
  tally_name=$1
  shift
  printf '\n== %s\n' "$tally_name"
  tally_log=$(mktemp)
  { "$@" </dev/null 2>&1; echo $? >"$tally_log.status"; } | tee "$tally_log"
  tally_status=$(cat "$tally_log.status")
  tally_line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$tally_log" | tail -n 1)
  rm -f "$tally_log" "$tally_log.status"
  # shellcheck disable=SC2086 # the line's words
  set -- $tally_line
  passed=$((passed + ${1:-0}))
  failed=$((failed + ${3:-0}))
  skipped=$((skipped + ${5:-0}))
  if [ "$((${1:-0} + ${3:-0} + ${5:-0}))" = 0 ]; then
    echo "$tally_name: no tests were run (exit status $tally_status)"
    failed=$((failed + 1))
  elif [ "$tally_status" != 0 ] && [ "${3:-0}" = 0 ]; then
    echo "$tally_name: ended with exit status $tally_status"
    failed=$((failed + 1))
  fi
}

# tally_step NAME COMMAND...: a command that is itself one test: it passes when it exits with 0.
tally_step() {
  tally_name=$1
  shift
  tally "$tally_name" tally_one "$@"
}
tally_one() {
  if "$@"; then echo "1 passed, 0 failed"; else echo "0 passed, 1 failed"; fi
}

# The closing line; succeeds when nothing failed.
tally_end() {
  printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" = 0 ]
}
