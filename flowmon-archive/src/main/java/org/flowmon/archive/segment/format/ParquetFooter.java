package org.flowmon.archive.segment.format;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.Util;
import org.flowmon.flow.memory.HeapBudget;

/** Reads the footer of a Parquet file of any writer. */
public final class ParquetFooter {
  public static final long MAX_BYTES = HeapBudget.Part.FOREIGN_FOOTER.bytes();

  private static final int LEAST_FILE = 12;

  private ParquetFooter() {}

  /** Reads the footer; throws describing the error in it. */
  public static FileMetaData read(RandomAccessFile in) throws IOException {
    long length = in.length();
    byte[] tail = new byte[8];
    if (length >= LEAST_FILE) {
      in.seek(length - 8);
      in.readFully(tail);
    }
    String magic = new String(tail, 4, 4, StandardCharsets.ISO_8859_1);
    if (magic.equals("PARE")) {
      throw new IOException("its footer is encrypted");
    }
    if (!magic.equals("PAR1")) {
      throw new IOException("it does not end as a Parquet file does, with PAR1");
    }
    int size = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt();
    if (size < 1 || size > length - LEAST_FILE || size > MAX_BYTES) {
      throw new IOException(
          "it says, at byte "
              + (length - 8)
              + ", that its footer has "
              + size
              + " bytes; expected 1 … "
              + Math.min(length - LEAST_FILE, MAX_BYTES));
    }
    byte[] bytes = new byte[size];
    in.seek(length - 8 - size);
    in.readFully(bytes);
    // No list in it can be longer than the footer.
    return ThriftStruct.parse(
        bytes,
        "its footer, from byte " + (length - 8 - size) + " on,",
        footer -> Util.readFileMetaData(footer, size));
  }
}
