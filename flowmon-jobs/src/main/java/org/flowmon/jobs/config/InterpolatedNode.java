package org.flowmon.jobs.config;

import java.util.List;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** A value in which variables are replaced by their texts; it knows where each part is written. */
final class InterpolatedNode extends ScalarNode {
  private final List<Part> parts;

  /** Successive characters of the value, by the node that they come from and the place in it. */
  record Part(ScalarNode node, int from, int length) {}

  /** A place in a value as a file writes it. */
  record Written(ScalarNode node, int offset) {}

  InterpolatedNode(ScalarNode written, String value, List<Part> parts) {
    super(
        written.getTag(),
        true,
        value,
        written.getScalarStyle(),
        written.getStartMark(),
        written.getEndMark());
    this.parts = List.copyOf(parts);
  }

  Written written(int offset) {
    int before = 0;
    for (Part part : parts) {
      if (offset < before + part.length()) {
        return new Written(part.node(), part.from() + offset - before);
      }
      before += part.length();
    }
    Part last = parts.get(parts.size() - 1);
    return new Written(last.node(), last.from() + last.length());
  }
}
