# The suites of a command such as scripts/test: the programs in a folder, which the command runs by name.

source "$(dirname "$0")/lib/usage.sh"

# run_suite FOLDER DEFAULT ARGUMENT...: runs the suite that the first argument names, with the other arguments. If there
# are none, or if the first one is an option, runs the suite DEFAULT with all of them; an empty DEFAULT makes that wrong
# usage. Stays in the folder of the caller, so that a suite finds the files that its arguments name.
run_suite() {
  local folder default=$2 name=${3:-} suite suites
  folder=$(dirname "$0")/$1
  suites=("$folder"/*)
  suites=("${suites[@]##*/}")
  case "$name" in
    --help | -h)
      print_comment
      printf '\n"scripts/%s NAME --help" explains each of these:\n\n' "$script_name"
      for suite in "${suites[@]}"; do
        # The first line of the comment.
        printf '  %-14s %s\n' "$suite" "$(sed --quiet '2{s/^# //;s/^"""//;s/"""$//;p}' "$folder/$suite")"
      done
      exit
      ;;
    "" | -*)
      [[ -n "$default" ]] || wrong_usage "it takes one of these names first: ${suites[*]}"
      exec "$folder/$default" "${@:3}"
      ;;
  esac
  [[ "$name" != */* && -f "$folder/$name" ]] || wrong_usage "there is no \"$name\"; use one of ${suites[*]}"
  exec "$folder/$name" "${@:4}"
}
