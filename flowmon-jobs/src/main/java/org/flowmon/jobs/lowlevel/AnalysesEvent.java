package org.flowmon.jobs.lowlevel;

import java.util.List;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.flowmon.jobs.analysis.AnalysisChange;

/**
 * To each task of the low level: the last change of each analysis that has changed since the job
 * was submitted. Those that the task knows change nothing.
 */
public record AnalysesEvent(List<AnalysisChange> changes) implements OperatorEvent {
  public AnalysesEvent {
    changes = List.copyOf(changes);
  }
}
