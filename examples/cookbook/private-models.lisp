; Models: private texts stay on the machine
;
; These rules choose the model providers, before there is an action. They allow nothing by
; themselves: use them beside other rules.

(defmodels private
  :doc "What comes from the ward stays on our own machine."
  :when (= (get signal.source "") "ward")
  :use ("local"))
(defmodels usual
  :use ("large" "local"))
