package org.flowmon.archive.derived;

/** An open segment, as far as it goes into runs of one kind. */
public interface RunSource extends AutoCloseable {
  /** Number of addresses that it brings, which bounds the size of a run. */
  long entries();

  @Override
  void close();
}
