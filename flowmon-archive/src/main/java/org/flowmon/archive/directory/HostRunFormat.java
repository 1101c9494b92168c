package org.flowmon.archive.directory;

import org.flowmon.archive.derived.RunFrame;

/** Constants of the layout; {@code docs/format/directory.md} is the specification. */
final class HostRunFormat {
  static final RunFrame FRAME =
      new RunFrame('F' | 'L' << 8 | 'H' << 16 | 'D' << 24, 1, 1, 48, "tail");
  static final int INDEX_BYTES = 24;
  static final int BLOCK_HEADER_BYTES = 4;
  static final int MAX_BLOCK_ADDRESSES = 128;
  // A block is closed before an address that would make it longer.
  static final int BLOCK_BYTES = 8192;
  static final int SINGLE = 1 << 31;
  static final int MAX_SEGMENTS = 1 << 28;
  static final String SUFFIX = ".hosts";

  /** Bits of a place: the address is a source, a destination of the segment. */
  static final int SOURCE = 1;

  static final int DESTINATION = 2;
  static final int ROLES = SOURCE | DESTINATION;

  private HostRunFormat() {}
}
