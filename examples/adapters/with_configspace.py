"""ConfigSpace: configurations from a learned ellipsoid, and a ConfigurationSpace read back."""

import ringfence as rf
from ringfence.adapters.configspace import from_configspace, to_configspace

history = rf.example_history()
box = rf.learn(history, shape="box", outliers=0.1, refit=True)
ring = rf.learn(history, shape="ellipsoid", outliers=0.1, refit=True)

print(to_configspace(box).space)  # the box in its own units, conditions and all
translated = to_configspace(ring, seed=0)  # the ellipsoid as a cube
for configuration in translated.space.sample_configuration(3):
    print(translated.decode(configuration))
assert all(ring.contains(translated.decode(c)) for c in translated.space.sample_configuration(50))
print(from_configspace(to_configspace(box).space).parameters["C"])
