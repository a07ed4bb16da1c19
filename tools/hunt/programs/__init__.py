"""The hunting programs: each module defines ``PROGRAM``; names that begin with _ are helpers."""
