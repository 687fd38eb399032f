(defmodels private
  :doc "What comes from the ward stays on our own machine."
  :when (= (get signal.source "") "ward")
  :use ("local"))
(defmodels usual
  :use ("large" "local"))
