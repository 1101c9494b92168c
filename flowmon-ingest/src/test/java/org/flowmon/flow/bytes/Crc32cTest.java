package org.flowmon.flow.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Crc32cTest {
  /** RFC 3720 section B.4 has these, in the byte order of the wire. */
  @Test
  void hasTheValuesOfTheStandard() {
    byte[] bytes = new byte[32];
    assertEquals(0x8A91_36AA, Crc32c.of(bytes, 0, 32));
    Arrays.fill(bytes, (byte) 0xFF);
    assertEquals(0x62A8_AB43, Crc32c.of(bytes, 0, 32));
    for (int i = 0; i < 32; i++) {
      bytes[i] = (byte) i;
    }
    assertEquals(0x46DD_794E, Crc32c.of(bytes, 0, 32));
    byte[] digits = "123456789".getBytes(StandardCharsets.US_ASCII);
    assertEquals("e3069283", Crc32c.hex(Crc32c.of(digits, 0, 9)));
  }

  @Test
  void isTheSameInPiecesOfAFileAndAroundItsOwnPlace(@TempDir Path folder) throws IOException {
    byte[] digits = "123456789".getBytes(StandardCharsets.US_ASCII);
    int expected = 0xE306_9283;
    Crc32c pieces = new Crc32c().update(digits, 0, 4).update(ByteBuffer.wrap(digits, 4, 5));
    assertEquals(expected, pieces.value());
    assertEquals(expected, Crc32c.of(Files.write(folder.resolve("file"), digits)));
    assertEquals(expected, Crc32c.around("1234abcd56789".getBytes(StandardCharsets.US_ASCII), 4));
    ByteSink sink = new ByteSink();
    sink.write(digits, 0, 9);
    assertEquals(expected, Crc32c.of(sink));
  }
}
