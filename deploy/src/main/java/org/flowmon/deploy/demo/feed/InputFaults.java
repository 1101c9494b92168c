package org.flowmon.deploy.demo.feed;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What of a demo's input was not taken, beside the flows that were dropped.
 *
 * @param refused messages of the topic that the job left out
 * @param refusedReasons these by reason
 * @param notUnderstood what in datagrams the decoder dropped, by the label of its counter
 * @param leftOut files that were not taken, or not wholly
 */
public record InputFaults(
    long refused,
    Map<String, Long> refusedReasons,
    Map<String, Long> notUnderstood,
    List<LeftOut> leftOut) {
  public static final InputFaults NONE = new InputFaults(0, Map.of(), Map.of(), List.of());

  public InputFaults {
    refusedReasons = new TreeMap<>(refusedReasons);
    notUnderstood = new TreeMap<>(notUnderstood);
    leftOut = List.copyOf(leftOut);
  }

  /**
   * A file that was not taken wholly.
   *
   * @param flows of it that were taken before
   * @param reason why no more were
   */
  public record LeftOut(Path file, long flows, String reason) {}
}
