package org.flowmon.archive.query.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a step of a plan does, and those whose results it takes; leaves read a segment. */
public record PlanStep(String what, Optional<SegmentAccess> segment, List<PlanStep> inputs) {
  public PlanStep {
    inputs = List.copyOf(inputs);
  }

  public static PlanStep of(String what, List<PlanStep> inputs) {
    return new PlanStep(what, Optional.empty(), inputs);
  }

  public static PlanStep of(SegmentAccess access) {
    return new PlanStep("segment " + access.segment(), Optional.of(access), List.of());
  }

  /** How segments were read in this step and in all steps below. */
  public Stream<SegmentAccess> accesses() {
    return Stream.concat(segment.stream(), inputs.stream().flatMap(PlanStep::accesses));
  }

  /** A line of the tree, indented below the step that takes its result. */
  public record Line(String text, PlanStep step) {}

  public List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line(what, this));
    addInputs("", lines);
    return lines;
  }

  private void addInputs(String indent, List<Line> lines) {
    for (int i = 0; i < inputs.size(); i++) {
      PlanStep input = inputs.get(i);
      boolean isLast = i == inputs.size() - 1;
      lines.add(new Line(indent + (isLast ? "└─ " : "├─ ") + input.what, input));
      input.addInputs(indent + (isLast ? "   " : "│  "), lines);
    }
  }
}
