package org.flowmon.jobs.source;

import java.util.Arrays;

/** The source keys of a topic's partitions, one instance each. */
final class SourceKeys {
  private final String topicId;
  private String[] keys = new String[16];

  SourceKeys(String topicId) {
    this.topicId = topicId;
  }

  String of(int partition) {
    if (partition >= keys.length) {
      keys = Arrays.copyOf(keys, Math.max(partition + 1, 2 * keys.length));
    }
    String key = keys[partition];
    if (key == null) {
      key = topicId + ":" + partition;
      keys[partition] = key;
    }
    return key;
  }
}
