package org.flowmon.jobs.lowlevel;

import java.util.List;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.flowmon.jobs.analysis.AnalysisChange;

/** To each low-level task: last changes since the job's submission; known ones do nothing. */
public record AnalysesEvent(List<AnalysisChange> changes) implements OperatorEvent {
  public AnalysesEvent {
    changes = List.copyOf(changes);
  }
}
