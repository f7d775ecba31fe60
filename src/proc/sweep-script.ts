import { treeVariable } from "./tree-mark.ts";

/** Tells a watchdog that another one has taken over. */
export const standDown = ".";

/**
 * Finds what belongs to a tree of processes and ends it. It is a shell script because the watchdog runs it
 * when the host is gone, and a waiting `sh` costs 1 MB where Node costs 40. The host runs the same text.
 *
 *   switchboard-watch MARK OWN            waits for the end of file on descriptor 3, then sweeps
 *   switchboard-sweep MARK SESSIONS OWN   sweeps, printing each process that it ended
 *   switchboard-orphans NAMESPACE OWN     sweeps the trees of hosts that are gone
 *
 * MARK is a regular expression for the beginning of a mark, SESSIONS a list of `<pid>-<start time>` of
 * session leaders, OWN the host's own session. These processes belong to a tree: those with the mark in their
 * environment (not in their arguments), their descendants, and all processes of a session that the host opened
 * or whose leader is in the tree. A session with a process of the tree whose leader is gone belongs to it too, except
 * OWN: that is a person's terminal, with their own jobs. Spared are the sweeper and its ancestors, other users'
 * processes, and a session whose leader lives and is not in the tree. A pid is signalled only if its start
 * time is still the one that was seen.
 *
 * What it cannot find: a process that cleared its environment or does not let us read it (one that made itself
 * undumpable, as ssh-agent does, unless we are root), whose parent is gone, and that opened a session of its
 * own or is in OWN. And without /proc (macOS): whatever left the process group of the host's own child.
 */
export const sweepScript = `
exec 2>/dev/null
trap '' HUP INT QUIT TERM
user=$(id -u)
printf 'a\\0b' | grep -qz '^b' && grep_reads_nul=yes || grep_reads_nul=

# The environments with mark $1, as file names.
marked() {
  if [ -n "$grep_reads_nul" ]; then
    grep -lzE "^${treeVariable}=(.*,)?$1" /proc/[0-9]*/environ
  else
    for file in /proc/[0-9]*/environ; do
      tr '\\0' '\\n' <"$file" | grep -qE "^${treeVariable}=(.*,)?$1" && echo "$file"
    done
  fi
}

# The processes of the tree with mark $1 (none if empty) and sessions $2, whose hosts are in sessions $3, as PID-START.
look() {
  {
    [ -z "$1" ] || marked "$1"
    printf '=%s\\n' $2
    printf '@%s\\n' $3
    cat /proc/[0-9]*/stat
  } | awk -v self=$$ '
    /^[/]proc/ { split($0, part, "/"); marked[part[3]]; next }
    /^@/ { hosts[substr($0, 2)]; next }
    /^=/ { split(substr($0, 2), leader, "-"); opened[leader[1]] = leader[2]; next }
    {
      pid = $1
      sub(/^.*[)] /, "")
      if ($1 == "Z" || $1 == "X") next
      parent[pid] = $2; session[pid] = $4; start[pid] = $20
    }
    function take(pid,   at) {
      tree[pid]
      at = session[pid]
      if (at > 0 && (at in tree || !(at in parent || at in hosts))) ours[at]
    }
    END {
      for (pid = self; (pid in parent) && !(pid in spared); pid = parent[pid]) spared[pid]
      for (pid in marked) if ((pid in parent) && !(pid in spared)) take(pid)
      for (pid in opened) if (pid + 0 > 0 && (!(pid in parent) || start[pid] == opened[pid])) ours[pid]
      do {
        grew = 0
        for (pid in parent) {
          if ((pid in tree) || (pid in spared)) continue
          if ((parent[pid] in tree) || (session[pid] in ours)) { take(pid); grew = 1 }
        }
      } while (grew)
      for (pid in tree) print pid "-" start[pid]
    }'
}

# Is PID-START still that process, and no zombie?
lives() {
  stat=
  while IFS= read -r line; do stat=$line; done <"/proc/\${1%-*}/stat" || return 1
  set -- "\${1#*-}" \${stat##*) }
  [ "\${21-}" = "$1" ] && [ "$2" != Z ]
}

# Root may signal everybody, so it has to look whose process it is.
mine() { [ "$user" -ne 0 ] || [ -O "/proc/\${1%-*}" ]; }

# All are stopped before the first is killed: a shell whose command was killed would go on to the next one.
# A look can miss what is forked while it goes through /proc, so the end is two empty looks in a row.
sweep() {
  if ! [ -r /proc/self/stat ]; then
    for opened in $2; do kill -KILL "-\${opened%-*}"; done
    return 0
  fi
  looks=0 calm=0
  while [ $calm -lt 2 ]; do
    [ $looks -lt 200 ] || return 1
    looks=$((looks + 1)) calm=$((calm + 1)) stopped=
    for found in $(look "$1" "$2" "$3"); do
      lives "$found" && mine "$found" && kill -STOP "\${found%-*}" && stopped="$stopped $found"
    done
    for found in $stopped; do
      kill -KILL "\${found%-*}" && echo "$found" && calm=0
    done
    [ $calm -ge 2 ] || sleep 0.02
  done
}

# The host writes +LEADER and -LEADER for the sessions that it opens and ends. When it dies, the pipe closes. The pipes
# that are held open for it need no line here: they close when this shell ends.
watch() {
  sessions=
  while IFS= read -r line; do
    case $line in
    +*) sessions="$sessions \${line#+}" ;;
    -*)
      kept=
      for leader in $sessions; do [ "$leader" = "\${line#-}" ] || kept="$kept $leader"; done
      sessions=$kept
      ;;
    ${standDown}) exit ;;
    esac
  done <&3
  sweep "$1" "$sessions" "$2"
}

# All hosts that some process names in its marks, as HOST/ or, with its own session, HOST/OWN.
hosts() {
  cat /proc/[0-9]*/environ | tr '\\0' '\\n' | sed -n 's/^${treeVariable}=//p' |
    tr ',' '\\n' | sed 's,/[^/]*/*,/,' | sort -u
}

# Hosts of other pid namespaces are left alone: their pids mean nothing here.
orphans() {
  gone= own=$2
  for found in $(hosts); do
    host=\${found%%/*}
    case $found in
    *[!0-9/-]*) ;;
    "$1"-*) lives "\${host#*-}" || gone="$gone|$host" own="$own \${found#*/}" ;;
    esac
  done
  [ -z "$gone" ] || sweep "(\${gone#|})/" "" "$own"
}

case $1 in
switchboard-watch) watch "$2" "$3" ;;
switchboard-sweep) sweep "$2" "$3" "$4" ;;
switchboard-orphans) orphans "$2" "$3" ;;
esac </dev/null
`;
