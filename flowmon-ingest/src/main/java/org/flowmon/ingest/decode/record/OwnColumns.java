package org.flowmon.ingest.decode.record;

import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.BigEndian;
import org.jspecify.annotations.Nullable;

/** Writes users' columns. */
final class OwnColumns {
  private static final int ROWS = RecordBlock.ROWS;

  private final FieldTexts texts = new FieldTexts();
  private final long[] high = new long[ROWS];
  private final long[] values = new long[ROWS];
  private final byte[][] made = new byte[ROWS][];
  private final long[] word = new long[1];

  void write(RecordBlock block, FlowBatchBuilder builder) {
    for (RecordProgram.OwnStep step : block.program().own()) {
      long set = 0;
      for (int i = 0; i < block.rows(); i++) {
        set |= read(block, step, i) ? 1L << i : 0;
      }
      if (set != 0) {
        put(step.use(), set, builder);
      }
    }
  }

  private void put(OwnElement use, long set, FlowBatchBuilder builder) {
    word[0] = set;
    ColumnType type = use.column().type();
    if (type == ColumnType.TEXT) {
      builder.setTextColumn(use.column(), made, word);
    } else if (type == ColumnType.ADDRESS) {
      builder.setAddressColumn(use.column(), high, values, word);
    } else {
      builder.setColumn(use.column(), values, word);
    }
  }

  /** False if the row has no value. */
  private boolean read(RecordBlock block, RecordProgram.OwnStep step, int row) {
    byte[] bytes = block.bytes();
    int at = block.start() + row * block.program().stride() + step.offset();
    int length = step.length();
    if (length == RecordProgram.VARIABLE) {
      length = BigEndian.getInt(bytes, at + Integer.BYTES);
      at = BigEndian.getInt(bytes, at);
      bytes = block.source();
    }
    values[row] = 0;
    high[row] = 0;
    OwnElement use = step.use();
    return use.takes(length)
        && switch (use.form()) {
          case TEXT -> keep(texts.name(bytes, at, length), row);
          case MAC -> keep(texts.mac(OwnElement.bits(bytes, at, length)), row);
          case ADDRESS -> address(bytes, at, length, row);
          default -> {
            long value = use.number(bytes, at, length);
            if (value == OwnElement.NONE) {
              block.countImplausible();
              yield false;
            }
            values[row] = value;
            yield true;
          }
        };
  }

  private boolean keep(byte @Nullable [] text, int row) {
    if (text != null) {
      made[row] = text;
    }
    return text != null;
  }

  private boolean address(byte[] bytes, int at, int length, int row) {
    if (length == Integer.BYTES) {
      values[row] = IpAddress.ipv4Low(BigEndian.getInt(bytes, at));
    } else {
      high[row] = BigEndian.getLong(bytes, at);
      values[row] = BigEndian.getLong(bytes, at + Long.BYTES);
    }
    return true;
  }
}
