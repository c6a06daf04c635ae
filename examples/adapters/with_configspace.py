"""ConfigSpace: configurations from a learned ellipsoid, and a ConfigurationSpace read back."""

import ringfence as rf
from ringfence.adapters.configspace import from_configspace, to_configspace

history = rf.example_history()
box = rf.learn(history, shape="box", outliers=0.1, refit=True)
ring = rf.learn(history, shape="ellipsoid", outliers=0.1, refit=True)

print(list(to_configspace(box).space))  # the box in its own units, conditions and all
translated = to_configspace(ring, seed=0)  # the ellipsoid as a cube
configs = [translated.decode(drawn) for drawn in translated.space.sample_configuration(50)]
print(f"inside: {all(ring.contains(config) for config in configs)}")
print(from_configspace(to_configspace(box).space).parameters["C"])
