"""How examples are generated; apart from what all tests share, because importing Hypothesis takes half a second."""

import hypothesis

# Examples are made and run as fast as a loaded machine lets them.
hypothesis.settings.register_profile("untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("untimed")
