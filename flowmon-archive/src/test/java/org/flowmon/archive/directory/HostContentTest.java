package org.flowmon.archive.directory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class HostContentTest {
  private final HostContent content = new HostContent(null, "segments", List.of());

  @Test
  void aRunOfManyAddressesTakesFewSegments() {
    // Segments of 4M rows, whose addresses are all different: 20 bytes each.
    long addresses = 8L << 20;
    int segments = 0;
    while (!content.isFull(segments, segments * addresses)) {
      segments++;
    }
    assertTrue(segments > 1 && segments * addresses * 20 < 3L << 29, segments + " segments");
    assertFalse(content.isFull(63, 63));
    assertTrue(content.isFull(64, 64));
  }
}
