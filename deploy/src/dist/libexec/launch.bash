#!/usr/bin/env bash
# Starts Java for flowmon: what the launcher of a checkout and that of the distribution share. They
# source it; $java_home and $java_version are set by find_java.

say() { printf 'flowmon: %s\n' "$*" >&2; }
# Until Java runs, which replaces this shell and says so itself.
trap 'say "stopping, as a signal asks"; exit 130' INT
trap 'say "stopping, as a signal asks"; exit 143' TERM
die() {
  say "$@"
  exit 3 # as the commands do: it could not be done (docs/running.md)
}

# Prints the feature version (17, 21, ...) of the Java whose home is $1, or nothing.
java_feature_version() {
  local version=""
  if [[ -r $1/release ]]; then
    version=$(sed -n 's/^JAVA_VERSION="\(.*\)".*/\1/p' "$1/release")
  fi
  if [[ -z $version ]]; then
    version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p' | head -n 1) || true
  fi
  version=${version#1.} # 1.8.0_292 is 8
  printf '%s' "${version%%[.+_-]*}"
}

# The home of the java on the PATH, or nothing.
java_home_on_path() {
  local java home
  java=$(command -v java) || return 0
  # /usr/bin/java may be a chain of links; to ask it where it lives takes as long as a JVM starts.
  home=$(readlink -f "$java" 2>/dev/null) || home=""
  home=${home%/bin/java}
  if [[ -n $home && -r $home/release && -x $home/bin/java ]]; then
    printf '%s' "$home"
    return
  fi
  # (macOS) a stub.
  "$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p'
}

# Sets java_home and java_version. $1 is "jdk" if a compiler is needed, "jre" if not.
find_java() {
  local need=$1 source home version reasons=()
  for source in JAVA_HOME PATH; do
    if [[ $source == JAVA_HOME ]]; then
      [[ -n ${JAVA_HOME:-} ]] || continue
      home=${JAVA_HOME%/}
      if [[ ! -x $home/bin/java ]]; then
        reasons+=("JAVA_HOME is $home, which has no bin/java")
        continue
      fi
    else
      home=$(java_home_on_path)
      if [[ -z $home ]]; then
        reasons+=("there is no java on the PATH")
        continue
      fi
    fi
    version=$(java_feature_version "$home")
    if [[ ! $version =~ ^[0-9]+$ ]]; then
      reasons+=("the version of the Java of $source ($home) cannot be told")
    elif ((version < 17)); then
      reasons+=("the Java of $source ($home) is version $version")
    elif [[ $need == jdk && ! -x $home/bin/javac ]]; then
      reasons+=("the Java of $source ($home) is a JRE: it has no javac")
    else
      if ((${#reasons[@]} > 0)); then
        say "${reasons[0]}; using $home"
      fi
      java_home=$home java_version=$version
      return
    fi
  done
  say "a $([[ $need == jdk ]] && echo JDK || echo Java) 17 or newer is needed:"
  for reason in "${reasons[@]}"; do
    printf '  - %s\n' "$reason" >&2
  done
  printf '  Install one (Debian: apt-get install openjdk-17-jdk-headless) or point JAVA_HOME to it.\n' >&2
  exit 3
}

# Ends if "run" names no file.
check_run() {
  [[ ${1:-} == run && ! -f ${2:-} ]] || return 0
  say "run: expected a Java file, found '${2:-}'"
  exit 2
}

options=(
  # One JVM with broker, Flink and archive stays under 2 GiB.
  -Xmx1g -XX:MaxDirectMemorySize=384m -XX:MaxMetaspaceSize=256m
  # What Flink, Kafka and mapped memory need of the JDK.
  --add-opens=java.base/java.lang=ALL-UNNAMED
  --add-opens=java.base/java.lang.reflect=ALL-UNNAMED
  --add-opens=java.base/java.net=ALL-UNNAMED
  --add-opens=java.base/java.nio=ALL-UNNAMED
  --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
  --add-opens=java.base/java.time=ALL-UNNAMED
  --add-opens=java.base/java.util=ALL-UNNAMED
  --add-opens=java.base/java.util.concurrent=ALL-UNNAMED
)

# Becomes Java with class path $1 and main class $2; the rest are the command and its arguments.
# "run FILE.java" compiles and runs one file instead: the compiler that comes with java takes a file
# in place of a class.
launch() {
  local class_path=${FLOWMON_CLASS_PATH:+$FLOWMON_CLASS_PATH:}$1 main=$2 refused
  shift 2
  # Unless a heap is asked for, which may be smaller.
  [[ ${FLOWMON_JAVA_OPTS:-} == *-Xm[sx]* ]] || options=(-Xms128m "${options[@]}")
  # Progress is drawn where somebody watches.
  [[ -t 2 && ${TERM:-dumb} != dumb ]] && options+=(-Dflowmon.terminal=true)
  # What a person looks at is never written as it came from outside.
  [[ -t 1 ]] && options+=(-Dflowmon.terminal.out=true)
  # A shell with an editor needs somebody who types.
  [[ ${1:-} == shell && -t 0 && ${TERM:-dumb} != dumb ]] && options+=(-Dflowmon.terminal.in=true)
  if ((java_version >= 24)); then
    options+=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
  fi
  # For an import the whole time counts and no pause: this collector takes less of it. A JVM takes one
  # alone.
  local collector='-XX:[+]Use[A-Za-z0-9]*GC( |$)'
  if [[ ${1:-} == import && ! ${FLOWMON_JAVA_OPTS:-} =~ $collector ]]; then
    options+=(-XX:+UseParallelGC)
  fi
  # Of several threads that collect garbage each waits for the last one: on processors that others use
  # a pause of 2 ms took up to 90. A heap that is given may need them.
  if [[ ${1:-} == serve && ${FLOWMON_JAVA_OPTS:-} != *-Xmx* && ! ${FLOWMON_JAVA_OPTS:-} =~ $collector ]]; then
    options+=(-XX:ParallelGCThreads=1)
  fi
  # Such a command ends before the optimizing compiler gives back what it takes.
  case ${1:-} in
    query | host | seen | stats)
      options+=(-XX:TieredStopAtLevel=1)
      [[ ${FLOWMON_JAVA_OPTS:-} =~ $collector ]] || options+=(-XX:+UseSerialGC)
      ;;
  esac
  # A JVM that does not start ends with 1, which of a command says that the answer is no.
  if [[ -n ${FLOWMON_JAVA_OPTS:-} ]]; then
    # shellcheck disable=SC2086
    refused=$("$java_home/bin/java" "${options[@]}" $FLOWMON_JAVA_OPTS -version 2>&1) || {
      say "FLOWMON_JAVA_OPTS='$FLOWMON_JAVA_OPTS': Java does not start with it: $(head -n 3 <<<"$refused" | tr '\n' ' ')"
      exit 2
    }
  fi
  if [[ ${1:-} == run ]]; then
    shift
    main=""
  fi
  # Split on spaces on purpose: it holds several options.
  # shellcheck disable=SC2086
  exec "$java_home/bin/java" "${options[@]}" ${FLOWMON_JAVA_OPTS:-} -cp "$class_path" ${main:+"$main"} "$@"
}
