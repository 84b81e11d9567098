"""The link doctor: diagnoses a link from its bytes alone.

report = examine(data)
for diagnosis in report.diagnoses: ...
"""

from tickertape.doctor.examine import examine
from tickertape.doctor.report import Diagnosis, Kind, Report, Sure

__all__ = ["Diagnosis", "Kind", "Report", "Sure", "examine"]
