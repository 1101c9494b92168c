package org.flowmon.udaf.frequency;

import org.flowmon.udaf.countmin.Candidates;
import org.flowmon.udaf.countmin.NarrowSketch;
import org.flowmon.udaf.countmin.SketchShape;
import org.flowmon.udaf.countmin.WideSketch;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.ValueKind;

/** The shape and scratch memory that all {@link SketchedWeights} of one task share. */
final class SketchedAggregate implements SuperAggregate {
  private final ValueKind kind;
  private final SketchShape shape;
  private final int exactItems;
  private final Candidates candidates;

  /** {@code exactItems}: different ones up to which weights are exact. */
  SketchedAggregate(ValueKind kind, SketchShape shape, int exactItems) {
    this.kind = kind;
    this.shape = shape;
    this.exactItems = exactItems;
    this.candidates = shape.wide().newCandidates();
  }

  @Override
  public SuperState initialize() {
    return new SketchedWeights(this);
  }

  ValueKind kind() {
    return kind;
  }

  NarrowSketch narrow() {
    return shape.narrow();
  }

  WideSketch wide() {
    return shape.wide();
  }

  SketchShape shape() {
    return shape;
  }

  int exactItems() {
    return exactItems;
  }

  Candidates candidates() {
    return candidates;
  }
}
