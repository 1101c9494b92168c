package org.flowmon.archive.directory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DirectoryUpdateTest {
  @Test
  void aRunOfManyAddressesTakesFewSegments() {
    // Segments of 4M rows, whose addresses are all different: 20 bytes each.
    long addresses = 8L << 20;
    int segments = 0;
    while (!DirectoryUpdate.isFull(segments, segments * addresses)) {
      segments++;
    }
    assertTrue(segments > 1 && segments * addresses * 20 < 3L << 29, segments + " segments");
    assertFalse(DirectoryUpdate.isFull(63, 63));
    assertTrue(DirectoryUpdate.isFull(64, 64));
  }
}
