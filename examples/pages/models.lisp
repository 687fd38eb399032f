(deftool look :doc "Look around." :tier :allow)
(defmodels private :when (contains? signal.text "salary") :use ("local") :priority 10)
(defmodels short :when (< (len signal.text) 200) :use ("local" "cloud"))
