#!/usr/bin/env bash
# keep.sh FOLDER COMMAND [ARGUMENT]...
# Runs a command in a process group of its own for as long as somebody holds this script's standard input open,
# then ends the whole group and removes FOLDER (empty: nothing). A test run that is killed with -9 lets go of that
# input like one that is done: this script, in a session of its own, lives long enough to clear up after it.
set -m
folder=$1
shift
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
# What bash says of the processes that it ends is of interest to nobody.
exec 2>/dev/null

# PHP leaves its workers behind: it is the group that must be gone, not only the process that we started.
end_group() {
  kill -TERM -- "-$server" || return 0
  for _ in {1..160}; do
    sleep 0.05
    group_lives || return 0
  done
  kill -KILL -- "-$server"
}

# A process that has ended counts as one until the system's first process collects it, which can take seconds.
group_lives() {
  local states
  kill -0 -- "-$server" || return 1
  states=$(ps -A -o pgid=,stat=) || return 0
  awk -v group="$server" '$1 == group && $2 !~ /^Z/ { lives = 1 } END { exit !lives }' <<<"$states"
}

{ read -r _ <&3; end_group; } &
watch=$!
exec 3<&-
wait "$server"
code=$?
kill -KILL -- "-$watch"
end_group
[ -z "$folder" ] || rm -rf -- "$folder"
exit "$code"
