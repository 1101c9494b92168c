package org.flowmon.deploy.demo.feed;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The input of a demo that was not taken, beside the dropped flows.
 *
 * @param refused messages of the topic that the job left out
 * @param notUnderstood undecodable parts of datagrams, by the label of the decoder's counter
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

  /** A file that was not taken wholly: the flows taken before, and why the rest was not. */
  public record LeftOut(Path file, long flows, String reason) {}
}
