package org.flowmon.archive.directory;

import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;

/** The addresses of one column of one segment. */
final class DictionaryHosts implements HostStream {
  private final SegmentReader segment;
  private final FlowColumn column;
  private final int role;
  private final int size;
  private int id = -1;

  DictionaryHosts(SegmentReader segment, FlowColumn column, int role) {
    this.segment = segment;
    this.column = column;
    this.role = role;
    // A present column of addresses always has a dictionary.
    this.size = segment.presence(column) == Presence.ABSENT ? 0 : segment.dictionarySize(column);
  }

  @Override
  public boolean next() {
    return ++id < size;
  }

  @Override
  public long high() {
    return segment.dictionaryHigh(column, id);
  }

  @Override
  public long low() {
    return segment.dictionaryLow(column, id);
  }

  @Override
  public int count() {
    return 1;
  }

  @Override
  public int place(int i) {
    return role;
  }
}
