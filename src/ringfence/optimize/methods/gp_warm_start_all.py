"""GP warm start T=29: the k best evaluations of every earlier task, told apart by meta-features.

The paper, section 6.2 and supplement: the meta-features are appended to the configuration as inputs
of the model. The cost is cubic in k times the number of tasks.
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.optimize.domain.coordinates import with_context
from ringfence.optimize.methods.gp_warm_start import Method as WarmStart
from ringfence.optimize.transfer.similarity import normalized
from ringfence.optimize.transfer.sources import Sources


class Method(WarmStart):
    """As `gp-warm-start`, from all tasks at once."""

    def transferred(self, sources: Sources) -> tuple[FloatArray, FloatArray]:
        """Inputs, meta-features appended, and standardized values of all tasks."""
        self.context, contexts = normalized(*sources.meta())
        inputs, scores = [], []
        for task in sources.tasks:
            completed = task.completed(self.domain, self.setup.seed)
            rows, values = completed.best(self.options.k)
            inputs.append(with_context(self.domain.layout.features(rows), contexts[task.name]))
            scores.append(values)
        return np.vstack(inputs), np.concatenate(scores)
