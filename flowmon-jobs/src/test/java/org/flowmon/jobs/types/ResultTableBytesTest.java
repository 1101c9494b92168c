package org.flowmon.jobs.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

class ResultTableBytesTest {
  /**
   * Returns columns of all kinds, with some, with only and without NULLs, with equal and wide
   * values.
   */
  private static ResultTable table(SplittableRandom random) {
    ResultTable.Builder table = new ResultTable.Builder();
    int columns = random.nextInt(8);
    ValueKind[] kinds = new ValueKind[columns];
    int[] shape = new int[columns];
    for (int c = 0; c < columns; c++) {
      kinds[c] = ValueKind.values()[random.nextInt(ValueKind.values().length)];
      shape[c] = random.nextInt(5);
      table.column("c" + c, kinds[c]);
    }
    int rows = random.nextInt(4) == 0 ? random.nextInt(5000) : random.nextInt(9);
    for (int r = 0; r < rows; r++) {
      table.row();
      for (int c = 0; c < columns; c++) {
        boolean isNull = shape[c] == 4 || (shape[c] == 3 && random.nextInt(3) == 0);
        if (isNull) {
          continue;
        }
        long value = shape[c] == 0 ? 7 : random.nextLong();
        switch (kinds[c]) {
          case TEXT -> table.set(c, "ünï" + value % 100);
          case DOUBLE -> table.set(c, Double.doubleToRawLongBits(value / 3.0));
          case ADDRESS -> table.set(c, shape[c] == 1 ? 0 : value, value);
          default -> {
            if (shape[c] == 2) {
              table.set(c, value >> 20, random.nextLong());
            } else {
              table.set(c, value);
            }
          }
        }
      }
    }
    return table.build();
  }

  private static byte[] bytes(ResultTable table) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    ResultTableBytes.write(table, out);
    return out.getCopyOfBuffer();
  }

  @Test
  void aTableComesBackAsItWas() throws IOException {
    for (long seed = 1; seed <= 400; seed++) {
      ResultTable table = table(new SplittableRandom(seed));
      DataInputDeserializer in = new DataInputDeserializer(bytes(table));
      assertEquals(table, ResultTableBytes.read(in), "seed " + seed);
      assertEquals(0, in.available(), "seed " + seed);
      DataInputDeserializer old = new DataInputDeserializer(bytesOfVersion1(table));
      assertEquals(table, ResultTableBytes.read(old), "seed " + seed);
      assertEquals(0, old.available(), "seed " + seed);
    }
  }

  /** Encodes in version 1, row by row. */
  private static byte[] bytesOfVersion1(ResultTable table) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    out.writeShort(table.columnCount());
    for (int c = 0; c < table.columnCount(); c++) {
      out.writeUTF(table.name(c));
      out.writeByte(table.kind(c).code());
    }
    out.writeInt(table.rowCount());
    for (int r = 0; r < table.rowCount(); r++) {
      for (int c = 0; c < table.columnCount(); c++) {
        out.writeBoolean(!table.isNull(r, c));
        if (table.isNull(r, c)) {
          continue;
        }
        switch (table.kind(c)) {
          case TEXT -> out.writeUTF(table.text(r, c));
          case DOUBLE -> out.writeLong(Double.doubleToRawLongBits(table.doubleValue(r, c)));
          case ADDRESS -> {
            out.writeLong(table.address(r, c).hi());
            out.writeLong(table.address(r, c).lo());
          }
          default -> {
            BigInteger value = table.bigValue(r, c);
            out.writeLong(value.shiftRight(64).longValue());
            out.writeLong(value.longValue());
          }
        }
      }
    }
    return out.getCopyOfBuffer();
  }

  @Test
  void equalLongsTakeNoSpace() throws IOException {
    ResultTable.Builder table = new ResultTable.Builder().column("n", ValueKind.LONG);
    for (int r = 0; r < 3000; r++) {
      table.row().set(0, 5);
    }
    assertTrue(bytes(table.build()).length < 40);
  }

  @Test
  void damagedBytesAreAnErrorOrAnotherTable() throws IOException {
    int errors = 0;
    for (long seed = 1; seed <= 3000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      byte[] bytes = bytes(table(random));
      byte[] damaged = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      if (damaged.length == bytes.length || random.nextBoolean()) {
        damaged = bytes;
        damaged[random.nextInt(Math.min(damaged.length, 40))] = (byte) random.nextInt();
      }
      try {
        ResultTable read = ResultTableBytes.read(new DataInputDeserializer(damaged));
        assertTrue(read.rowCount() >= 0);
      } catch (IOException e) {
        errors++;
      }
    }
    assertTrue(errors > 1000, errors + " errors");
  }

  @Test
  void aTableOfAnUnknownVersionIsRefused() {
    byte[] bytes = {-1, -1, 3, 0, 0, 0, 0, 0, 0};
    IOException e =
        assertThrows(
            IOException.class, () -> ResultTableBytes.read(new DataInputDeserializer(bytes)));
    assertEquals("a result of version 3, this reads 1 and 2", e.getMessage());
  }
}
