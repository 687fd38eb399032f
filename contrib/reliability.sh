#!/bin/sh
# Rewrites the table of figures in docs/proof/reliability.md from RESULT lines.
# usage: reliability.sh RESULTS PAGE
set -eu
table=$(awk '
  /RESULT harness=/ {
    delete v
    for (i = 1; i <= NF; i++) if (split($i, kv, "=") == 2) v[kv[1]] = kv[2]
    h = v["harness"]
    if (!(h in trials)) order[++n] = h
    trials[h] += v["trials"]; failures[h] += v["failures"]; acked[h] += v["acknowledged"]; effects[h] += v["effects"]
    date[h] = v["date"]
    if ((h, v["seed"]) in known) next
    known[h, v["seed"]] = last[h] = v["seed"]
    if (++batches[h] <= 4) seeds[h] = seeds[h] (seeds[h] == "" ? "" : ", ") v["seed"]
  }
  END {
    for (i = 1; i <= n; i++) {
      h = order[i]
      bound = failures[h] == 0 && trials[h] > 0 ? sprintf("%.2g %%", 300 / trials[h]) : "none"
      if (batches[h] > 4) seeds[h] = seeds[h] (batches[h] > 5 ? ", ..." : "") ", " last[h]
      printf "| %s | %d | %s | %d | %d | %d | %s | %s |\n", h, trials[h], seeds[h], acked[h], effects[h], failures[h], bound, date[h]
    }
  }' "$1")
TABLE=$table awk '
  /<!-- end of figures -->/ { inside = 0 }
  !inside { print }
  /<!-- figures -->/ {
    inside = 1
    print "| harness | trials | first seed of each batch | acknowledged | effects | failures | 95 % bound 3/n | last run |"
    print "|---|---|---|---|---|---|---|---|"
    print ENVIRON["TABLE"]
  }' "$2" >"$2.new"
mv "$2.new" "$2"
