package org.flowmon.jobs.lowlevel;

import java.util.List;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.flowmon.jobs.analysis.AnalysisChange;

/**
 * An event to each task of the low level: the last change of each analysis that has changed since
 * the job was submitted. Changes that the task knows have no effect.
 */
public record AnalysesEvent(List<AnalysisChange> changes) implements OperatorEvent {
  public AnalysesEvent {
    changes = List.copyOf(changes);
  }
}
