#!/usr/bin/env bash
# Report on the store, check the answers of a system against the gold set, and end with the first status that is not 0.
# Everything comes from the environment: action.yml has the names. Outside GitHub it is a script like any other.
set -euo pipefail

results="${RESULTS:-assay-results}"
summary="${GITHUB_STEP_SUMMARY:-/dev/null}"
status=0
mkdir -p "$results"

gate=()
if [ "${GATE:-true}" = true ]; then gate=(--gate); fi

# Keeps the answer in both forms, whatever it is.
ask() {
  local name="$1" ended=0
  shift
  assay "$@" ${gate[@]+"${gate[@]}"} --markdown --junit "$results/$name.xml" >"$results/$name.md" || ended=$?
  cat "$results/$name.md" >>"$summary"
  if [ "$status" -eq 0 ]; then status=$ended; fi
}

if [ -n "${ANSWERS:-}" ]; then assay ingest "$ANSWERS"; fi

if [ -n "${SYSTEM:-}" ]; then
  release=()
  if [ -n "${RELEASE:-}" ]; then release=(--release "$RELEASE"); fi
  ask gold_check gold check --system "$SYSTEM" ${release[@]+"${release[@]}"}
fi
ask report report

printf 'status=%s\nresults=%s\n' "$status" "$results" >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$status"
