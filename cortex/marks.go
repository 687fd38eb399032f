package cortex
