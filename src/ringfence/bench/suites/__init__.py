"""Suites of tasks to tune: functions that are run, and tables of recorded evaluations."""

from ringfence.bench.suites.loading import SuiteSource, load_suite
from ringfence.bench.suites.suite import Reference, Suite

__all__ = ["Reference", "Suite", "SuiteSource", "load_suite"]
