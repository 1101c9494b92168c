package org.flowmon.archive.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

class ArchiveLocationTest {
  @Test
  void aSchemeInCapitalsIsTheSameScheme() {
    ArchiveLocation location = ArchiveLocation.parse("S3://Bucket/Path");
    assertFalse(location.isLocal());
    assertEquals("s3://Bucket/Path", location.address());
    assertEquals("/tmp/X", ArchiveLocation.parse("FILE:///tmp/X").address());
  }
}
