package org.flowmon.udaf.window;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** Which groups are kept, by the hash of their keys: written down from the format's page. */
final class KeyLevels {
  private KeyLevels() {}

  /** The hash of docs/format/partial-groups.md. */
  private static long hash(List<Object> values) {
    long hash = 0x2545F4914F6CDD1DL;
    long nulls = 0;
    for (int k = 0; k < values.size(); k++) {
      Object value = values.get(k);
      if (value instanceof IpAddress address) {
        hash = mix(mix(hash, address.hi()), address.lo());
      } else if (value instanceof String text) {
        long word = 0x2545F4914F6CDD1DL;
        for (int i = 0; i < text.length(); i++) {
          word = mix(word, text.charAt(i));
        }
        hash = mix(hash, finish(word));
      } else if (value instanceof Nothing nothing) {
        for (int w = 0; w < nothing.words(); w++) {
          hash = mix(hash, 0);
        }
        nulls |= 1L << k;
      } else {
        hash = mix(hash, (Long) value);
      }
    }
    return finish(nulls == 0 ? hash : mix(hash, nulls));
  }

  private static long mix(long hash, long word) {
    return (Long.rotateLeft(hash, 25) ^ word) * 0x9E3779B97F4A7C15L;
  }

  private static long finish(long hash) {
    long spread = (hash ^ (hash >>> 32)) * 0xD6E8FEB86659FD93L;
    return spread ^ (spread >>> 32);
  }

  /** A NULL of a column with so many words. */
  private record Nothing(int words) {}

  /** The values of a row, NULL as so many words. */
  static List<Object> values(FlowBatch batch, int row, List<FlowColumn> columns) {
    List<Object> values = new ArrayList<>();
    for (FlowColumn column : columns) {
      boolean isAddress = column == FlowColumn.SRC_ADDR || column == FlowColumn.DST_ADDR;
      if (batch.isNull(column, row)) {
        values.add(new Nothing(isAddress ? 2 : 1));
      } else if (isAddress) {
        values.add(batch.getAddress(column, row));
      } else if (column == FlowColumn.SERVICE) {
        values.add(batch.text(column, row));
      } else {
        values.add(batch.getLong(column, row));
      }
    }
    return values;
  }

  /** The level of a group with these keys. */
  static int level(List<Object> keys) {
    long hash = hash(keys);
    int level = 0;
    while (level < 16 && (hash >>> (32 + level) & 1) == 0) {
      level++;
    }
    return level;
  }
}
