from bayescmp.engines.base import Availability as Availability
from bayescmp.engines.base import Engine as Engine
from bayescmp.engines.base import Fit as Fit
from bayescmp.engines.base import FitRequest as FitRequest
from bayescmp.engines.base import SamplerSettings as SamplerSettings
from bayescmp.engines.base import engines as engines
from bayescmp.engines.base import find_engine as find_engine
from bayescmp.engines.base import register as register
