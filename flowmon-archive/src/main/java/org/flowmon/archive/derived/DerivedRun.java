package org.flowmon.archive.derived;

import java.util.List;

/** A run in mapped memory, counted by reference. Immutable and safe to share between threads. */
public interface DerivedRun {
  /** A segment that a run covers: its id, and the CRC32C of its Parquet file. */
  record Covered(String id, int crc32c) {}

  /** The file's name within its folder. */
  String name();

  /** Bytes of the file. */
  int bytes();

  /** The segments that it covers. */
  List<Covered> segments();

  /** Takes a reference; each needs its {@link #release}. */
  void acquire();

  /** Gives a reference back; the last one unmaps the file. */
  void release();
}
