"""The laboratory: evaluation, tuning, inspection, and rankings that are neither the default nor the paper's.

Nothing that ingests, searches or serves needs this room. Where it is deleted, its commands, routes and
rankings are missing, and everything else works. Imports from `service` and the rooms before it; of `service`,
only its own routes in `http` do.

Begin with `evaluation.evaluate`, which measures a system on questions with known answers.
"""
