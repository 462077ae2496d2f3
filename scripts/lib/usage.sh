# The arguments of the scripts. Scripts source this file before they change the folder. Wrong usage ends a script
# with one line on standard error and exit code 64, and input that cannot be used with exit code 2.

script_path=$(realpath "$0")
# The script as its user names it after scripts/: "demo", or "test python" for scripts/tests/python.
script_name=${0##*/}
case "${script_path%/*}" in
  */scripts/benches) script_name="bench $script_name" ;;
  */scripts/builds) script_name="build $script_name" ;;
  */scripts/generators) script_name="generate $script_name" ;;
  */scripts/tests) script_name="test $script_name" ;;
esac

# wrong_usage MESSAGE: ends the script with exit code 64.
wrong_usage() {
  echo "$script_name: $*" >&2
  exit 64
}

# unusable MESSAGE: ends the script with exit code 2.
unusable() {
  echo "$script_name: $*" >&2
  exit 2
}

# print_comment: prints the comment at the beginning of the script.
print_comment() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$script_path"; }

# only_help ARGUMENT...: for scripts that take no arguments but --help.
only_help() {
  case "$*" in
    "") ;;
    --help | -h) print_comment; exit ;;
    *) wrong_usage "it takes no arguments, but got: $*" ;;
  esac
}

# need_value OPTION VALUE...: checks that a value follows an option.
need_value() { [[ -n "${2:-}" && "$2" != --* ]] || wrong_usage "$1 needs a value"; }

# need_count OPTION VALUE...: the same for a whole number.
need_count() {
  need_value "$@"
  [[ "$2" =~ ^[1-9][0-9]{0,5}$ ]] || wrong_usage "$1: \"$2\" is not a whole number from 1 to 999999"
}

# need_folder OPTION VALUE...: the same for a folder that exists.
need_folder() {
  need_value "$@"
  [[ -d "$2" ]] || unusable "$1: there is no folder $2"
}

# need_program OPTION VALUE...: the same for a program that exists.
need_program() {
  need_value "$@"
  [[ -f "$2" && -x "$2" ]] || unusable "$1: there is no program $2"
}
