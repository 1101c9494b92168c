package org.flowmon.deploy.demo.feed;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The parts of a demo's input that were not taken, beside the dropped flows.
 *
 * @param refused messages of the topic that the job left out
 * @param refusedReasons these by reason
 * @param notUnderstood undecodable parts of datagrams, by the label of the decoder's counter
 * @param leftOut files that were not taken wholly
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
   * @param flows flows taken before
   * @param reason why the rest was not taken
   */
  public record LeftOut(Path file, long flows, String reason) {}
}
