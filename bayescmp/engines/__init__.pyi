from .base import Availability as Availability
from .base import Engine as Engine
from .base import Fit as Fit
from .base import FitRequest as FitRequest
from .base import SamplerSettings as SamplerSettings
from .base import engines as engines
from .base import find_engine as find_engine
from .base import register as register
